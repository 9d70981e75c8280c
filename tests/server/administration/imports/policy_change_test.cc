#include "server/administration/imports/policy_change.h"

#include <gtest/gtest.h>

namespace priorityd::administration {
namespace {

const absl::Time kBefore = absl::FromUnixSeconds(1'767'571'200);  // A Monday, 00:00 UTC.
const absl::Time kNow = kBefore + absl::Hours(36);

priority::Policy WithPeriod(priority::ResetPeriod period,
                            absl::Duration interval = absl::ZeroDuration()) {
  priority::Policy policy;
  policy.reset_period = period;
  policy.reset_interval = interval;
  policy.time_zone = absl::UTCTimeZone();
  return policy;
}

storage::PolicyVersion Applied(absl::Time at) {
  storage::PolicyVersion version;
  version.version = 1;
  version.reset_anchor = at;
  return version;
}

TEST(ResetTimesTest, TheFirstPolicyCountsFromItsApplication) {
  const ResetTimes reset =
      ResetTimesOf(WithPeriod(priority::ResetPeriod::kInterval, absl::Hours(1)), priority::Policy(),
                   nullptr, kNow, absl::InfinitePast());
  EXPECT_EQ(reset.anchor, kNow);
  EXPECT_EQ(reset.floor, absl::InfinitePast());
}

TEST(ResetTimesTest, OtherChangesKeepTheAnchorOfAnInterval) {
  const storage::PolicyVersion old = Applied(kBefore);
  const priority::Policy hourly = WithPeriod(priority::ResetPeriod::kInterval, absl::Hours(1));
  const priority::Policy daily = WithPeriod(priority::ResetPeriod::kInterval, absl::Hours(24));
  EXPECT_EQ(ResetTimesOf(hourly, hourly, &old, kNow, kNow).anchor, kBefore);
  EXPECT_EQ(ResetTimesOf(daily, hourly, &old, kNow, kNow).anchor, kNow);
  EXPECT_EQ(ResetTimesOf(hourly, priority::Policy(), &old, kNow, kNow).anchor, kNow);
}

TEST(ResetTimesTest, NowReachesBeyondTheNewestUsage) {
  const priority::Policy now = WithPeriod(priority::ResetPeriod::kNow);
  const absl::Time ahead = kNow + absl::Seconds(30);
  EXPECT_EQ(ResetTimesOf(now, priority::Policy(), nullptr, kNow, ahead).floor,
            ahead + absl::Microseconds(1));
  EXPECT_EQ(ResetTimesOf(now, priority::Policy(), nullptr, kNow, kBefore).floor, kNow);
}

TEST(ResetTimesTest, WhatAFormerPeriodWipedOutStaysSo) {
  storage::PolicyVersion old = Applied(kBefore);
  const priority::Policy none = WithPeriod(priority::ResetPeriod::kNone);
  EXPECT_EQ(ResetTimesOf(none, WithPeriod(priority::ResetPeriod::kDaily), &old, kNow, kNow).floor,
            kBefore + absl::Hours(24));
  old.reset_floor = kNow - absl::Hours(1);
  EXPECT_EQ(ResetTimesOf(none, WithPeriod(priority::ResetPeriod::kDaily), &old, kNow, kNow).floor,
            kNow - absl::Hours(1));
}

// Otherwise the wall clock would be the anchor of a simulation of another year.
TEST(ResetTimesTest, AClockThatWasNeverSetHasNoTimeYet) {
  const priority::Policy hourly = WithPeriod(priority::ResetPeriod::kInterval, absl::Hours(1));
  const priority::Policy now = WithPeriod(priority::ResetPeriod::kNow);
  const priority::Policy daily = WithPeriod(priority::ResetPeriod::kDaily);
  const absl::Time unset = absl::InfinitePast();
  EXPECT_EQ(ResetTimesOf(hourly, priority::Policy(), nullptr, unset, unset).anchor, unset);
  EXPECT_EQ(ResetTimesOf(now, priority::Policy(), nullptr, unset, unset).floor, unset);
  EXPECT_EQ(ResetTimesOf(now, priority::Policy(), nullptr, unset, kBefore).floor,
            kBefore + absl::Microseconds(1))
      << "what was recorded before counts nothing";
  const storage::PolicyVersion old = Applied(unset);
  EXPECT_EQ(ResetTimesOf(hourly, daily, &old, unset, unset).floor, unset);
}

}  // namespace
}  // namespace priorityd::administration
