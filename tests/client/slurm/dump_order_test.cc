#include "client/slurm/dump_order.h"

#include "engine/slurm/dump/sacctmgr_dump.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kDump[] = R"(Cluster - 'lab':Fairshare=1
Parent - 'root'
User - 'root':DefaultAccount='root':Fairshare=1
Account - 'botany':Fairshare=10
Account - 'zoology':Fairshare=10
Parent - 'botany'
User - 'eve':Fairshare=1
User - 'fay':Fairshare=1
Parent - 'zoology'
Account - 'apes':Fairshare=2
Parent - 'apes'
User - 'eve':Fairshare=1
)";

std::vector<std::string> Names(const std::string& dump) {
  const auto parsed = slurm::ParseSacctmgrDump({"dump", dump});
  std::vector<std::string> names;
  if (!parsed.ok()) return {std::string(parsed.status().message())};
  for (const auto& one : parsed->associations) {
    names.push_back(one.association.account + "/" + one.association.user);
  }
  return names;
}

TEST(DumpOrderTest, SiblingsStandInTheOrderInWhichTheyWereMade) {
  const auto dump = InOrderOfIds(kDump,
                                 "ID|Account|User|Partition\n1|root||\n2|root|root|\n9|botany||\n"
                                 "12|botany|eve|\n11|botany|fay|\n8|zoology||\n10|apes||\n"
                                 "13|apes|eve|\n");
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_THAT(Names(*dump), ElementsAre("root/root", "zoology/", "botany/", "apes/", "botany/fay",
                                        "botany/eve", "apes/eve"));
}

TEST(DumpOrderTest, WhatWasMadeBetweenTheTwoTextsComesLast) {
  const auto dump = InOrderOfIds(kDump,
                                 "ID|Account|User|Partition\n2|root|root|\n8|zoology||\n"
                                 "12|botany|eve|\n11|botany|fay|\n10|apes||\n13|apes|eve|\n");
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_THAT(Names(*dump)[2], "botany/");
}

TEST(DumpOrderTest, ATableWithoutIdsIsRefused) {
  const auto dump = InOrderOfIds(kDump, "Account|User\nroot|\n");
  EXPECT_THAT(dump.status().message(), HasSubstr("sacctmgr show assoc"));
}

}  // namespace
}  // namespace priorityd::slurm_frontend
