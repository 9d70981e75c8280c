#include "engine/slurm/dump/qos_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(QosTableTest, ARealTableIsRead) {
  const auto table = ParseQosTable(SiteFile("qos.txt"));
  ASSERT_TRUE(table.ok()) << table.status();
  std::vector<std::string> rows;
  for (const QosRow& row : table->rows) {
    rows.push_back(absl::StrCat(row.qos.name, " ", row.qos.priority, " ", row.qos.usage_factor));
  }
  EXPECT_THAT(rows, ElementsAre("normal 0 1", "q10 10 1", "q50 50 1", "q200 200 1", "fill 0 0"));
  EXPECT_TRUE(table->HasColumn("grptresmins"));
  EXPECT_FALSE(table->HasColumn("Preempt"));
}

TEST(QosTableTest, AllColumnsInAnyOrderAndUnderEitherName) {
  const auto table = ParseQosTable(
      {"qos",
       "Flags|UsageThres|Preempt|Name|GrpWall|MaxSubmitJobsPerUser|GrpTRESMins|GraceTime|\n"
       "DenyOnLimit,NoDecay,EnforceUsageThreshold|0.25|low,normal|high|1-00:00:00|3000|"
       "billing=100|00:01:00|\n"
       "|-1||low|||||\n"});
  ASSERT_TRUE(table.ok()) << table.status();
  const QosRow& high = table->rows[0];
  EXPECT_EQ(high.qos.name, "high");
  EXPECT_TRUE(high.qos.no_decay);
  EXPECT_TRUE(high.qos.enforce_usage_threshold);
  EXPECT_EQ(high.qos.usage_threshold, 0.25);
  EXPECT_THAT(high.qos.preempt, ElementsAre("low", "normal"));
  EXPECT_THAT(high.flags, ElementsAre("DenyOnLimit", "NoDecay", "EnforceUsageThreshold"));
  EXPECT_EQ(high.grp_wall, absl::Hours(24));
  EXPECT_EQ(high.max_submit_jobs_per_user, 3000u);
  EXPECT_THAT(high.grp_tres_mins, ElementsAre(Pair("billing", 100)));
  EXPECT_THAT(high.others, ElementsAre(Pair("GraceTime", "00:01:00")));
  const QosRow& low = table->rows[1];
  EXPECT_EQ(low.qos.usage_factor, 1);
  EXPECT_FALSE(low.qos.usage_threshold.has_value());
  EXPECT_FALSE(low.max_submit_jobs_per_user.has_value());
  EXPECT_TRUE(low.others.empty());
  EXPECT_THAT(table->columns, ElementsAre("Flags", "UsageThres", "Preempt", "Name", "GrpWall",
                                          "MaxSubmitPU", "GrpTRESMins", "GraceTime"));
}

TEST(QosTableTest, FaultsAreNamedByLine) {
  const auto table = ParseQosTable({"qos",
                                    "Name|Priority|UsageFactor|MaxSubmitPU|GrpWall\n"
                                    "a|x|1|1|1\n"
                                    "b|1|-2|x|soon\n"
                                    "c|1\n"
                                    "|1|1|1|1\n"
                                    "d|1|1|1|1\n"
                                    "d|1|1|1|1\n"});
  EXPECT_THAT(
      ErrorTexts(table.status()),
      ElementsAre("qos line 2: Priority: got \"x\", want a whole number from 0 to 4294967295",
                  "qos line 3: UsageFactor: got \"-2\", want a number of at least 0",
                  "qos line 3: MaxSubmitPU: got \"x\", want a whole number or -1",
                  "qos line 3: GrpWall: got \"soon\", want a time (min, min:sec, h:m:s, d-h, "
                  "d-h:m, d-h:m:s "
                  "or UNLIMITED)",
                  "qos line 4: got 2 cells, want 5 as in the header at line 1",
                  "qos line 5: Name: got \"\", want a name",
                  "qos line 7: Name: got \"d\" again, want it only at line 6"));
}

TEST(QosTableTest, HalvesOfUnitsHold) {
  const auto table = ParseQosTable({"qos",
                                    "Name|Priority|GrpTRES|GrpTRESMins|MaxTRESPU\n"
                                    "bigmem|300|mem=62.50G|mem=1.50T,cpu=1.50M|mem=1.50T\n"});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->rows[0].grp_tres_mins,
              ElementsAre(Pair("cpu", 1'572'864), Pair("mem", 1'572'864)));
  EXPECT_THAT(table->rows[0].others,
              ElementsAre(Pair("GrpTRES", "mem=62.50G"), Pair("MaxTRESPU", "mem=1.50T")));
}

TEST(QosTableTest, ALimitThatCannotBeReadIsAnErrorOnItsLine) {
  const auto table = ParseQosTable({"qos",
                                    "Name|MaxTRESPU|MaxWall|MaxJobsPU|LimitFactor|GraceTime|ID\n"
                                    "ok|cpu=4|-1|-1|-1|00:00:00|x\n"
                                    "a|cpu=many|soon|few|-3|later|y\n"});
  EXPECT_THAT(ErrorTexts(table.status()),
              ElementsAre(testing::HasSubstr("qos line 3: MaxTRESPU: got \"cpu=many\""),
                          testing::HasSubstr("qos line 3: MaxWall: got \"soon\""),
                          testing::HasSubstr("qos line 3: MaxJobsPU: got \"few\""),
                          testing::HasSubstr("qos line 3: LimitFactor: got \"-3\""),
                          testing::HasSubstr("qos line 3: GraceTime: got \"later\"")));
}

TEST(QosTableTest, TheHeaderMustNameEveryColumnOnce) {
  EXPECT_THAT(ErrorTexts(ParseQosTable({"qos", "normal|0\n"}).status()),
              ElementsAre("qos line 1: got columns \"normal|0\", want a header line with a column "
                          "Name"));
  EXPECT_THAT(ErrorTexts(ParseQosTable({"qos", "\n"}).status()),
              ElementsAre("qos: got no lines, want a header line and rows"));
  EXPECT_THAT(ErrorTexts(ParseQosTable({"qos", "Name|UsageThres|UsageThreshold\n"}).status()),
              ElementsAre("qos line 1: got column \"UsageThres\" twice"));
}

}  // namespace
}  // namespace priorityd::slurm
