#include "server/logging/recalculation_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/server/logging/captured_log.h"

namespace priorityd::logging {
namespace {

using recalculation::RecalculationReport;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RecalculationReport Recalculated() {
  RecalculationReport report;
  report.cluster = "c";
  report.lag = absl::Milliseconds(20);
  report.duration = absl::Milliseconds(10);
  report.stages = {.read = absl::Milliseconds(1),
                   .compute = absl::Milliseconds(2),
                   .publish = absl::Milliseconds(7),
                   .published_entries = 3};
  priority::SnapshotSource source;
  source.generation = 7;
  priority::Association root;
  root.account = "root";
  source.tree = std::make_shared<priority::AssociationTree>(
      *priority::AssociationTree::Build({std::move(root)}));
  source.own_usage = {0};
  source.own_wall_seconds = {0};
  report.snapshot = priority::Snapshot::Compute(std::move(source));
  return report;
}

class RecalculationLogTest : public testing::Test {
 protected:
  RecalculationLogTest() {
    log_.CountJobsBy([](const std::string& cluster) { return cluster == "c" ? 42 : 0; });
  }

  CapturedLog captured_{/*json=*/false};
  RecalculationLog log_;
};

TEST_F(RecalculationLogTest, OneLineReportsOneRecalculation) {
  log_.Recalculated(Recalculated());
  EXPECT_THAT(captured_.Take(),
              ElementsAre(AllOf(HasSubstr(" info recalculated cluster=c ms=10.00 read_ms=1.00 "
                                          "compute_ms=2.00 publish_ms=7.00 usage_changed=3 "
                                          "configuration_changed=false lag_ms=20.00 generation=7 "),
                                EndsWith(" associations=1 jobs=42"))));
}

TEST_F(RecalculationLogTest, OneThatFoundNothingNewIsForDebugging) {
  RecalculationReport report = Recalculated();
  report.stages.published_entries = 0;
  log_.Recalculated(report);
  EXPECT_THAT(captured_.Take(), IsEmpty());
  spdlog::set_level(spdlog::level::debug);
  log_.Recalculated(report);
  EXPECT_THAT(captured_.Take(), ElementsAre(HasSubstr(" debug recalculated ")));
}

TEST_F(RecalculationLogTest, OneThatFailedIsForDebuggingToo) {
  RecalculationReport report = Recalculated();
  report.snapshot = nullptr;
  report.status = absl::UnavailableError("no database");
  spdlog::set_level(spdlog::level::debug);
  log_.Recalculated(report);
  EXPECT_THAT(captured_.Take(), ElementsAre(HasSubstr("recalculation failed cluster=c")));
}

}  // namespace
}  // namespace priorityd::logging
