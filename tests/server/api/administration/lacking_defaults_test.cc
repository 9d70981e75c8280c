// Which default accounts an import warns of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;

v1::ImportRequest DumpOfAccounts(const std::string& lines, bool clean) {
  v1::ImportRequest request;
  request.set_clean(clean);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          absl::StrCat("Cluster - 'c':Fairshare=1\nParent - 'root'\n", lines), &request);
  return request;
}

TEST(LackingDefaultsTest, AnImportWarnsOfADefaultAccountThatTheUserIsNotInAfterIt) {
  TestService service;
  constexpr char kBefore[] =
      "Account - 'chem'\nParent - 'chem'\nUser - 'ann':DefaultAccount='chem'\n";
  constexpr char kSecond[] =
      "Account - 'new'\nParent - 'new'\nUser - 'ann':DefaultAccount='chem'\n"
      "User - 'ben':DefaultAccount='chem'\n";
  constexpr char kBen[] = "dump: user ben has DefaultAccount chem, but no association there";
  constexpr char kAnn[] = "dump: user ann has DefaultAccount chem, but no association there";
  EXPECT_THAT(Import(service, DumpOfAccounts(kBefore, false)).warnings(), ElementsAre());
  EXPECT_THAT(Import(service, DumpOfAccounts(kSecond, false)).warnings(), ElementsAre(kBen));
  EXPECT_THAT(Import(service, DumpOfAccounts(kSecond, true)).warnings(), ElementsAre(kAnn, kBen));
}

}  // namespace
}  // namespace priorityd::rpc
