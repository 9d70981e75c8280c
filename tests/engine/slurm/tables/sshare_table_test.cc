#include "engine/slurm/tables/sshare_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SshareTableTest, OfARealTableTheUsersHaveAllUsage) {
  const auto table = ParseSshareTable(SiteFile("sshare.txt"));
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_FALSE(table->has_partition_column);
  EXPECT_EQ(table->cluster, "");
  double users = 0;
  double accounts = 0;
  for (const OpeningUsage& usage : table->usage) {
    (usage.user.empty() ? accounts : users) += usage.usage;
  }
  EXPECT_EQ(table->usage.size(), 18u);
  EXPECT_EQ(users, 1109000);
  EXPECT_EQ(accounts, 0);
  EXPECT_EQ(table->usage[4], (OpeningUsage{"biol", "hal", "", 0, 6}));
}

TEST(SshareTableTest, AnAccountsOwnIsWhatItsRowsBelowDoNotHave) {
  const auto table = ParseSshareTable({"sshare",
                                       "CLUSTER: orc\n"
                                       "User|Partition|Account|RawUsage|\n"
                                       "||root|100|\n"
                                       "|| a|70|\n"
                                       "||  a1|30|\n"
                                       "eve|main|   a1|10|\n"
                                       "eve||  a|20.5|\n"
                                       "|| b|25|\n"});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->has_partition_column);
  EXPECT_EQ(table->cluster, "orc");
  EXPECT_THAT(
      table->usage,
      ElementsAre(OpeningUsage{"root", "", "", 5, 3}, OpeningUsage{"a", "", "", 19.5, 4},
                  OpeningUsage{"a1", "", "", 20, 5}, OpeningUsage{"a1", "eve", "main", 10, 6},
                  OpeningUsage{"a", "eve", "", 20.5, 7}, OpeningUsage{"b", "", "", 25, 8}));
}

TEST(SshareTableTest, RoundingBelowZeroIsZeroAndMoreIsAnError) {
  EXPECT_EQ(ParseSshareTable({"s", "Account|User|RawUsage\na||9\n a|u|5\n a|v|6\n"})
                .value()
                .usage[0]
                .usage,
            0);
  EXPECT_THAT(
      ErrorTexts(ParseSshareTable({"s", "Account|User|RawUsage\na||8\n a|u|5\n a|v|6\n"}).status()),
      ElementsAre("s line 2: RawUsage: got 8, want at least 11, the sum of the rows below \"a\""));
}

TEST(SshareTableTest, FaultsAreNamedByLine) {
  const auto table = ParseSshareTable({"s",
                                       "Account|User|RawUsage|Cluster\n"
                                       "root||10|orc\n"
                                       "  deep||1|orc\n"
                                       " a||x|orc\n"
                                       " a|u|-1|orc\n"
                                       " a|u|1|other\n"
                                       " |u|1|orc\n"
                                       " a|u\n"});
  EXPECT_THAT(
      ErrorTexts(table.status()),
      ElementsAre("s line 3: Account: got 2 blanks before \"deep\", want at most 1, one more "
                  "than its parent has",
                  "s line 4: RawUsage: got \"x\", want a number from 0 to 1e30",
                  "s line 5: RawUsage: got \"-1\", want a number from 0 to 1e30",
                  "s line 6: Cluster: got \"other\", want only \"orc\"",
                  "s line 7: Account: got \"\", want a name",
                  "s line 8: got 2 cells, want 4 as in the header at line 1"));
}

TEST(SshareTableTest, RequiredColumnsAreNamed) {
  EXPECT_THAT(ErrorTexts(ParseSshareTable({"s", "Account|RawShares\nroot|1\n"}).status()),
              ElementsAre("s line 1: got columns \"Account|RawShares\", want a header line with a "
                          "column User",
                          "s line 1: got columns \"Account|RawShares\", want a header line with a "
                          "column RawUsage"));
}

TEST(SshareTableTest, ATableOfFixedWidthsAsksForTheOther) {
  EXPECT_THAT(
      ErrorTexts(
          ParseSshareTable({"s",
                            "Account                    User  RawShares  NormShares    RawUsage \n"
                            "-------------------- ---------- ---------- ----------- ----------- \n"
                            " root               abc@bio.a+          1    0.000548     1136501 \n"})
              .status()),
      ElementsAre(
          "s line 1: got a table of fixed widths, which cuts names short, want what `sshare "
          "-a -l -P` prints"));
}

TEST(SshareTableTest, AHeaderAloneIsNoUsage) {
  EXPECT_THAT(ParseSshareTable({"s", "Account|User|RawUsage"}).value().usage, IsEmpty());
}

}  // namespace
}  // namespace priorityd::slurm
