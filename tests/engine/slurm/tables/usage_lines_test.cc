#include "engine/slurm/tables/usage_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;

TEST(UsageLinesTest, EveryDigitCounts) {
  const auto usage = ParseUsageLines({"usage",
                                      "# opening usage\n"
                                      "\n"
                                      "chem|||12.5\n"
                                      "chem|eve||0.1234567890123456789\r\n"
                                      " chem | eve | main | 9007199254740993\n"
                                      "bio|bob||1e30"});
  ASSERT_TRUE(usage.ok()) << usage.status();
  EXPECT_THAT(*usage, ElementsAre(OpeningUsage{"chem", "", "", 12.5, 3},
                                  OpeningUsage{"chem", "eve", "", 0.1234567890123456789, 4},
                                  OpeningUsage{"chem", "eve", "main", 9007199254740992.0, 5},
                                  OpeningUsage{"bio", "bob", "", 1e30, 6}));
}

TEST(UsageLinesTest, FaultsAreNamedByLine) {
  const auto usage = ParseUsageLines({"usage",
                                      "chem|eve|1\n"
                                      "|eve||1\n"
                                      "chem||main|1\n"
                                      "chem|eve||-1\n"
                                      "chem|eve||nan\n"
                                      "chem|fay||1.1e30\n"
                                      "chem|fay||\n"
                                      "chem|gus||1\n"
                                      "chem|gus||2\n"});
  EXPECT_THAT(ErrorTexts(usage.status()),
              ElementsAre("usage line 1: got \"chem|eve|1\", want account|user|partition|usage",
                          "usage line 2: account: got \"\", want a name",
                          "usage line 3: partition: got \"main\", want none without a user",
                          "usage line 4: usage: got \"-1\", want a number from 0 to 1e30",
                          "usage line 5: usage: got \"nan\", want a number from 0 to 1e30",
                          "usage line 6: usage: got \"1.1e30\", want a number from 0 to 1e30",
                          "usage line 7: usage: got \"\", want a number from 0 to 1e30",
                          "usage line 9: account: got \"chem|gus||2\", want it only at line 8"));
}

}  // namespace
}  // namespace priorityd::slurm
