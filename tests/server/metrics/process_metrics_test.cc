#include "server/metrics/process_metrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "absl/time/clock.h"
#include "tests/server/metrics/captured_families.h"
#include "version.h"

namespace priorityd::metrics {
namespace {

TEST(ProcessMetricsTest, TheFiguresAreThoseOfThisProcess) {
  Families families;
  AddProcess(&families);
  auto told = SeriesOf(std::move(families));
  EXPECT_GT(told["process_resident_memory_bytes"], 1e6);
  EXPECT_GT(told["process_virtual_memory_bytes"], told["process_resident_memory_bytes"]);
  EXPECT_GE(told["process_cpu_seconds_total"], 0);
  EXPECT_GE(told["process_open_fds"], 3);
  EXPECT_GT(told["process_max_fds"], told["process_open_fds"]);
  const double now = absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch());
  EXPECT_LT(std::fabs(now - told["process_start_time_seconds"]), 600);
  EXPECT_EQ(told[std::string("priorityd_build_info{version=\"") + kVersion + "\"}"], 1);
}

TEST(ProcessMetricsTest, AnOpenFileIsOneMore) {
  const auto open_files = [] {
    Families families;
    AddProcess(&families);
    return SeriesOf(std::move(families))["process_open_fds"];
  };
  const double before = open_files();
  const int file = dup(0);
  EXPECT_EQ(open_files(), before + (file >= 0 ? 1 : 0));
  close(file);
}

}  // namespace
}  // namespace priorityd::metrics
