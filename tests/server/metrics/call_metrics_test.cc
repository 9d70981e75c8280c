#include "server/metrics/call_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tests/server/metrics/captured_families.h"

namespace priorityd::metrics {
namespace {

using authorization::Rpc;

std::map<std::string, double> Told(const CallMetrics& metrics) {
  Families families;
  metrics.AddTo(&families);
  return SeriesOf(std::move(families));
}

rpc::CallReport Report(Rpc rpc, absl::Status status, absl::Duration duration, int64_t rows) {
  rpc::CallReport report;
  report.rpc = rpc;
  report.status = std::move(status);
  report.duration = duration;
  report.rows = rows;
  return report;
}

TEST(CallMetricsTest, CallsAreCountedByMethodAndCode) {
  CallMetrics metrics;
  metrics.CallEnded(Report(Rpc::kRankJobs, absl::OkStatus(), absl::Milliseconds(2), 100));
  metrics.CallEnded(Report(Rpc::kRankJobs, absl::OkStatus(), absl::Milliseconds(4), 50));
  metrics.CallEnded(
      Report(Rpc::kRankJobs, absl::PermissionDeniedError("no"), absl::ZeroDuration(), 0));
  auto told = Told(metrics);
  EXPECT_EQ(told["priorityd_rpcs_total{method=\"RankJobs\",code=\"OK\"}"], 2);
  EXPECT_EQ(told["priorityd_rpcs_total{method=\"RankJobs\",code=\"PERMISSION_DENIED\"}"], 1);
  EXPECT_EQ(told["priorityd_rpc_rows_total{method=\"RankJobs\"}"], 150);
  EXPECT_EQ(told["priorityd_rpc_duration_seconds_count{method=\"RankJobs\"}"], 3);
  EXPECT_DOUBLE_EQ(told["priorityd_rpc_duration_seconds_sum{method=\"RankJobs\"}"], 0.006);
}

TEST(CallMetricsTest, EveryMethodAndCodeIsExportedBeforeItsFirstCall) {
  const auto told = Told(CallMetrics());
  for (const authorization::Right& right : authorization::kRightsTable) {
    const std::string method(authorization::NameOf(right.rpc));
    for (const char* code : {"OK", "UNAVAILABLE", "UNAUTHENTICATED"}) {
      const std::string series =
          "priorityd_rpcs_total{method=\"" + method + "\",code=\"" + code + "\"}";
      EXPECT_TRUE(told.contains(series)) << series;
    }
  }
}

TEST(CallMetricsTest, NoneIsLostWhenManyThreadsReport) {
  CallMetrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&metrics] {
      for (int n = 0; n < 5000; ++n) {
        metrics.CallEnded(Report(Rpc::kUpdateJobs, absl::OkStatus(), absl::Seconds(1), 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  auto told = Told(metrics);
  EXPECT_EQ(told["priorityd_rpcs_total{method=\"UpdateJobs\",code=\"OK\"}"], 20'000);
  EXPECT_EQ(told["priorityd_rpc_rows_total{method=\"UpdateJobs\"}"], 20'000);
}

}  // namespace
}  // namespace priorityd::metrics
