#include "server/recalculation/start_charge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace priorityd::recalculation {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::Time ChargeTime(double hours) { return absl::UnixEpoch() + absl::Hours(hours); }

// root: physics: ann, bob; partition `batch` with 2 of billing a CPU.
priority::SnapshotSource ChargeSource(double percent) {
  std::vector<priority::Association> associations(4);
  const char* const users[] = {"", "", "ann", "bob"};
  for (int i = 0; i < 4; ++i) {
    associations[i].id = i + 10;
    associations[i].parent_id = i == 0 ? 0 : i == 1 ? 10 : 11;
    associations[i].account = i == 0 ? "root" : "physics";
    associations[i].user = users[i];
  }
  priority::SnapshotSource source;
  source.computed_at = ChargeTime(10);
  source.policy.charge_at_start = percent;
  source.tree = std::make_shared<const priority::AssociationTree>(
      *priority::AssociationTree::Build(associations));
  source.own_usage.resize(4);
  source.partitions.resize(1);
  source.partitions[0].name = "batch";
  source.partitions[0].billing_weights = {{"cpu", 2}};
  source.qos.resize(1);
  source.qos[0].name = "half";
  source.qos[0].usage_factor = 0.5;
  return source;
}

// A job of bob in account physics.
StartedRun StartedAt(double start, double limit_hours, double cpus, double recorded_until = -1) {
  StartedRun run;
  run.job.job_id = "7";
  run.job.user = "bob";
  run.job.account = "physics";
  run.job.partitions = {"batch"};
  run.job.start_time = ChargeTime(start);
  run.job.time_limit_us = absl::ToInt64Microseconds(absl::Hours(limit_hours));
  run.job.cpus = cpus;
  if (recorded_until >= 0) run.recorded_until = ChargeTime(recorded_until);
  return run;
}

// What bob reserves, in hours of billing.
double ReserveOf(const std::vector<StartedRun>& runs, double percent = 100,
                 usage::DecayRules rules = {}) {
  const auto snapshot = priority::Snapshot::Compute(ChargeSource(percent));
  const std::vector<double> own = ReservesOf(*snapshot, runs, usage::RowDecay(std::move(rules)));
  return own.empty() ? 0 : own[3] / 3600;
}

TEST(StartChargeTest, AJobReservesWhatItsRecordsWillCharge) {
  // Two of billing a CPU, three CPUs, four hours.
  EXPECT_EQ(ReserveOf({StartedAt(10, 4, 3)}), 24);
  EXPECT_EQ(ReserveOf({StartedAt(8, 4, 3)}), 24);
  EXPECT_EQ(ReserveOf({StartedAt(8, 4, 3, 9.5)}), 15);
  EXPECT_EQ(ReserveOf({StartedAt(8, 4, 3), StartedAt(9, 1, 1)}), 26);
  // A record of an earlier run.
  EXPECT_EQ(ReserveOf({StartedAt(8, 4, 3, 5)}), 24);
}

TEST(StartChargeTest, NothingIsReservedAfterTheTimeLimit) {
  EXPECT_EQ(ReserveOf({StartedAt(1, 4, 3)}), 24);
  EXPECT_EQ(ReserveOf({StartedAt(1, 4, 3, 5)}), 0);
  EXPECT_EQ(ReserveOf({StartedAt(1, 4, 3, 7)}), 0);
}

TEST(StartChargeTest, APartOfTheTimeLimitIsAheadAndAllOfThePastCounts) {
  EXPECT_EQ(ReserveOf({StartedAt(10, 4, 3)}, 50), 12);
  EXPECT_EQ(ReserveOf({StartedAt(9, 4, 3)}, 50), 12);
  EXPECT_EQ(ReserveOf({StartedAt(7, 4, 3)}, 50), 18);
  EXPECT_EQ(ReserveOf({StartedAt(7, 4, 3, 9)}, 50), 6);
}

TEST(StartChargeTest, WithoutAnyLimitAnHourIsReserved) {
  StartedRun run = StartedAt(10, 0, 3);
  run.job.time_limit_us.reset();
  EXPECT_EQ(ReserveOf({run}), 6);
  run.job.start_time = ChargeTime(8);
  EXPECT_EQ(ReserveOf({run}), 12);
  run.recorded_until = ChargeTime(10);
  EXPECT_EQ(ReserveOf({run}), 0);
}

TEST(StartChargeTest, ThePastDecaysAsARecordOfItWould) {
  usage::DecayRules rules;
  rules.timeline = {{absl::UnixEpoch(), absl::Hours(2)}};
  // The integral of 2^(-t / 2h) over the last two hours is 2h / ln 2 * (1 - 1/2); two are ahead.
  const double past = 6 / std::log(2);
  EXPECT_THAT(ReserveOf({StartedAt(8, 4, 3)}, 100, rules), DoubleNear(past + 12, 1e-9));
  EXPECT_THAT(ReserveOf({StartedAt(10, 4, 3)}, 100, rules), DoubleNear(24, 1e-9));
}

TEST(StartChargeTest, AManualResetForgivesThePast) {
  usage::DecayRules rules;
  rules.manual_resets[13] = ChargeTime(9);
  EXPECT_EQ(ReserveOf({StartedAt(8, 4, 3)}, 100, rules), 18);
}

TEST(StartChargeTest, UsageFactorAndGivenBillingCount) {
  StartedRun run = StartedAt(10, 4, 3);
  run.job.qos = {"half"};
  EXPECT_EQ(ReserveOf({run}), 12);
  run.job.tres = {{"billing", 0.25}};
  EXPECT_EQ(ReserveOf({run}), 0.5);
}

TEST(StartChargeTest, AJobThatNoRecordCanChargeReservesNothing) {
  StartedRun run = StartedAt(10, 4, 3);
  run.job.user = "nobody";
  EXPECT_EQ(ReserveOf({run}), 0);
  run = StartedAt(10, 4, 3);
  run.job.partitions = {"unknown"};
  EXPECT_EQ(ReserveOf({run}), 0);
}

TEST(StartChargeTest, RowsGiveTheSameReserves) {
  priority::SnapshotSource source = ChargeSource(100);
  source.own_reserve = {0, 0.1, 0, 1e300};
  const auto snapshot = priority::Snapshot::Compute(source);
  const auto rows = ToReserveRows(*snapshot);
  EXPECT_THAT(rows,
              ElementsAre(storage::SnapshotReserve{11, 0.1}, storage::SnapshotReserve{13, 1e300}));
  EXPECT_EQ(FromReserveRows(rows, snapshot->tree()), source.own_reserve);
  EXPECT_THAT(FromReserveRows({}, snapshot->tree()), IsEmpty());
}

}  // namespace
}  // namespace priorityd::recalculation
