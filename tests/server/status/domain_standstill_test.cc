#include "server/status/domain_standstill.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::status {
namespace {

std::unique_ptr<const priority::Snapshot> ComputedAt(absl::Time time, priority::ClockMode clock) {
  priority::SnapshotSource source;
  source.generation = 1;
  source.computed_at = time;
  source.policy.clock = clock;
  source.policy.calc_period = absl::Minutes(5);
  source.own_usage = {0};
  source.tree = std::make_shared<const priority::AssociationTree>(
      priority::AssociationTree::Build({{.id = 1, .account = "root"}}).value());
  return priority::Snapshot::Compute(std::move(source));
}

TEST(DomainStandstillTest, ADomainStandsStillAfterTwoPeriodsAndAMinute) {
  const auto at = [](absl::Duration period, absl::Duration late_by) {
    return StandstillOf({.period = period, .late_by = late_by}, false);
  };
  EXPECT_EQ(at(absl::Minutes(5), absl::Minutes(10)), Standstill::kNone);
  EXPECT_EQ(at(absl::Minutes(5), absl::Minutes(10) + absl::Seconds(1)), Standstill::kOverdue);
  EXPECT_EQ(at(absl::Seconds(10), absl::Minutes(1)), Standstill::kNone);
  EXPECT_EQ(at(absl::Seconds(10), absl::Seconds(61)), Standstill::kOverdue);
}

TEST(DomainStandstillTest, OnAManualClockItDoesUnlessTheMemberIsOnOneToo) {
  EXPECT_EQ(StandstillOf({.is_manual = true}, false), Standstill::kManualClock);
  EXPECT_EQ(StandstillOf({.is_manual = true}, true), Standstill::kNone);
  EXPECT_EQ(StandstillOf({.period = absl::Minutes(5), .late_by = absl::Hours(1)}, true),
            Standstill::kNone);
}

TEST(DomainStandstillTest, ASnapshotIsLateFromTheEndOfItsPeriodOn) {
  const absl::Time time = absl::FromUnixSeconds(1'000'000);
  const auto snapshot = ComputedAt(time, priority::ClockMode::kReal);
  EXPECT_EQ(PaceOf(*snapshot, time + absl::Minutes(5)).late_by, absl::ZeroDuration());
  EXPECT_EQ(PaceOf(*snapshot, time + absl::Minutes(7)).late_by, absl::Minutes(2));
  EXPECT_EQ(PaceOf(*snapshot, time - absl::Minutes(7)).late_by, absl::ZeroDuration());
  EXPECT_EQ(PaceOf(*snapshot, time).period, absl::Minutes(5));
  EXPECT_TRUE(PaceOf(*ComputedAt(time, priority::ClockMode::kManual), time).is_manual);
}

}  // namespace
}  // namespace priorityd::status
