#include "engine/slurm/dump/qos_table_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<QosRow> RowsOf(const std::string& text) {
  absl::StatusOr<QosTable> table = ParseQosTable({"qos", text});
  EXPECT_TRUE(table.ok()) << table.status() << "\n" << text;
  return table.ok() ? std::move(table->rows) : std::vector<QosRow>();
}

TEST(QosTableWriterTest, EveryColumnIsReadBack) {
  const std::string text =
      "Name|Priority|UsageFactor|UsageThres|Preempt|Flags|GrpWall|GrpTRESMins|MaxSubmitPU|"
      "GraceTime\n"
      "high|10|0.3|0.25|low,normal|DenyOnLimit,NoDecay|1-00:00:00|billing=100|3000|00:01:00\n"
      "low|0|1||||||0|\n";
  const std::vector<QosRow> again = RowsOf(WriteQosTable(RowsOf(text)));
  ASSERT_EQ(again.size(), 2u);
  const QosRow& high = again[0];
  EXPECT_EQ(high.qos.name, "high");
  EXPECT_EQ(high.qos.priority, 10u);
  EXPECT_EQ(high.qos.usage_factor, 0.3);
  EXPECT_EQ(high.qos.usage_threshold, 0.25);
  EXPECT_THAT(high.qos.preempt, ElementsAre("low", "normal"));
  EXPECT_THAT(high.flags, ElementsAre("DenyOnLimit", "NoDecay"));
  EXPECT_EQ(high.grp_wall, absl::Hours(24));
  EXPECT_THAT(high.grp_tres_mins, ElementsAre(Pair("billing", 100)));
  EXPECT_EQ(high.max_submit_jobs_per_user, 3000u);
  EXPECT_THAT(high.others, ElementsAre(Pair("GraceTime", "00:01:00")));
  const QosRow& low = again[1];
  EXPECT_FALSE(low.qos.usage_threshold.has_value());
  EXPECT_FALSE(low.grp_wall.has_value());
  EXPECT_EQ(low.max_submit_jobs_per_user, 0u);
  EXPECT_TRUE(low.others.empty());
}

TEST(QosTableWriterTest, AColumnOfOneRowIsEmptyInTheOthers) {
  QosRow with, without;
  with.qos.name = "a";
  with.others = {{"GraceTime", "00:01:00"}};
  without.qos.name = "b";
  const std::vector<QosRow> again = RowsOf(WriteQosTable({without, with}));
  EXPECT_TRUE(again.at(0).others.empty());
  EXPECT_THAT(again.at(1).others, ElementsAre(Pair("GraceTime", "00:01:00")));
}

TEST(QosTableWriterTest, BarsAndLineBreaksInValuesBecomeSpaces) {
  QosRow row;
  row.qos.name = "a";
  row.others = {{"Description", "one|two\nthree\rfour"}};
  EXPECT_THAT(RowsOf(WriteQosTable({row})).at(0).others,
              ElementsAre(Pair("Description", "one two three four")));
}

TEST(QosTableWriterTest, NoRowsAreAHeaderAlone) { EXPECT_TRUE(RowsOf(WriteQosTable({})).empty()); }

}  // namespace
}  // namespace priorityd::slurm
