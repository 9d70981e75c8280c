// Aliases in the file of Export: what UpdateAliases adds comes back, and one that it would not add
// takes nothing else of the file with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/service/aliased_site.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kMisleading[] = "\xe2\x80\xaeymarf";

class ExportedAliasesTest : public AliasedSite {
 protected:
  std::string OwnFile() {
    const v1::ExportResponse exported = ExportAll();
    for (const v1::File& file : exported.files()) {
      if (file.kind() == v1::FILE_KIND_PRIORITYD) return file.content();
    }
    return "";
  }
  v1::ImportResponse Imported(const std::string& content) {
    v1::ImportRequest request;
    request.set_cluster("c");
    AddFile(v1::FILE_KIND_PRIORITYD, "own", content, &request);
    return Import(service_, request);
  }
};

// A version that took such a name could leave it.
TEST_F(ExportedAliasesTest, AnAliasThatMisleadsIsLeftOutAloneAndStaysUntilItIsRemoved) {
  Change({}, {AliasOf("", "a@EXAMPLE.ORG", "amy"), AliasOf("k8s", "runner", "ben")});
  Execute("UPDATE priorityd.user_alias SET alias = U&'\\202Eymarf' WHERE source = ''");
  EXPECT_EQ(Aliases().aliases(0).alias(), kMisleading);
  const std::string file = OwnFile();
  EXPECT_THAT(file, HasSubstr(absl::StrCat("Alias - '", kMisleading, "':User='amy'")));
  EXPECT_EQ(Imported(file).import_id(), 0) << "the cluster has it";
  EXPECT_EQ(Change({AliasOf("", kMisleading)}, {}).deleted(), 1);
  Execute("DELETE FROM priorityd.user_alias");
  const v1::ImportResponse imported =
      Imported(absl::StrCat(file,
                            "Grant - 'g':Accounts='a':Begin='2026-01-05T00:00:00Z'\n"
                            "Amount - '60':Effective='2026-01-05T00:00:00Z'\n"));
  EXPECT_THAT(imported.warnings(),
              ElementsAre(HasSubstr("own line 2: the alias is not imported: alias: got a name with "
                                    "the character U+202E")));
  EXPECT_EQ(imported.user_aliases().created(), 1);
  EXPECT_EQ(imported.grants().created(), 1);
}

TEST_F(ExportedAliasesTest, ManyAliasesThatAreLeftOutAreCounted) {
  std::string file;
  for (int i = 0; i < 150; ++i) absl::StrAppend(&file, "Alias - '\x1b", i, "':User='amy'\n");
  const v1::ImportResponse imported = Imported(file);
  ASSERT_EQ(imported.warnings_size(), 101);
  EXPECT_EQ(imported.warnings(100), "own: 50 more aliases are not imported");
  EXPECT_EQ(imported.user_aliases().created(), 0);
}

TEST_F(ExportedAliasesTest, AnAliasOfTheLongestNamesComesBack) {
  const v1::UserAlias longest = AliasOf(std::string(256, 's'), std::string(256, 'a'), "amy");
  EXPECT_EQ(Change({}, {longest}).created(), 1);
  const std::string file = OwnFile();
  Execute("DELETE FROM priorityd.user_alias");
  EXPECT_EQ(Imported(file).user_aliases().created(), 1);
}

}  // namespace
}  // namespace priorityd::rpc
