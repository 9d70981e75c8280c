#include "server/metrics/recalculation_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/recalculation/recalculation.h"
#include "tests/server/metrics/captured_families.h"

namespace priorityd::metrics {
namespace {

recalculation::RecalculationReport Report(absl::Status status) {
  recalculation::RecalculationReport report;
  report.cluster = "c";
  report.status = std::move(status);
  report.lag = absl::Seconds(2);
  report.stages.read = absl::Seconds(1);
  report.stages.publish = absl::Seconds(3);
  return report;
}

TEST(RecalculationMetricsTest, TheyAreCountedByHowTheyEndedAndStagesAreThoseThatWereDone) {
  ClusterLabels labels;
  RecalculationMetrics metrics(&labels);
  metrics.Recalculated(Report(absl::OkStatus()));
  metrics.Recalculated(Report(absl::InternalError("no")));
  metrics.Recalculated(Report(recalculation::NotLeaderError()));
  recalculation::RecalculationReport asked_for = Report(absl::OkStatus());
  asked_for.on_demand = true;
  metrics.Recalculated(asked_for);
  Families families;
  metrics.AddTo(&families);
  auto told = SeriesOf(std::move(families));
  EXPECT_EQ(told["priorityd_recalculations_total{cluster=\"c\",outcome=\"ok\"}"], 2);
  EXPECT_EQ(told["priorityd_recalculations_total{cluster=\"c\",outcome=\"failed\"}"], 1);
  EXPECT_EQ(told["priorityd_recalculation_duration_seconds_sum{stage=\"read\"}"], 2);
  EXPECT_EQ(told["priorityd_recalculation_duration_seconds_sum{stage=\"publish\"}"], 6);
  EXPECT_EQ(told["priorityd_recalculation_lag_seconds_count"], 2);
}

TEST(RecalculationMetricsTest, ARemovedClusterHasNoSamples) {
  ClusterLabels labels;
  RecalculationMetrics metrics(&labels);
  metrics.Recalculated(Report(absl::OkStatus()));
  metrics.Forget("c");
  Families families;
  metrics.AddTo(&families);
  EXPECT_EQ(SeriesOf(std::move(families))
                .count("priorityd_recalculations_total{cluster=\"c\",outcome=\"ok\"}"),
            0u);
}

}  // namespace
}  // namespace priorityd::metrics
