#include "server/usage/usage_bound.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/server/usage/small_site.h"

namespace priorityd::usage {
namespace {

// Of 384 CPUs; billing is that of 1000.
UsageBound Bound(double headroom) {
  return UsageBound(headroom, {.totals = {{"cpu", 384}}, .billing = 1000});
}

// A minute of it.
UsageSubmission Cpus(double count) {
  UsageSubmission record = Submission("1");
  record.tres = {{"CPU", count}};
  return record;
}

TEST(UsageBoundTest, AnAmountAboveTheBoundIsNamedWithBothNumbers) {
  EXPECT_FALSE(Bound(10).FindExcess(Cpus(3840)).has_value());
  const auto excess = Bound(10).FindExcess(Cpus(3841));
  ASSERT_TRUE(excess.has_value());
  EXPECT_EQ(excess->reason, RejectionReason::kBeyondCapacity);
  EXPECT_EQ(excess->field, "tres[\"CPU\"]");
  EXPECT_EQ(excess->message,
            "got 3841, want at most 3840 (UsageHeadroom 10 times the 384 that the cluster has)");
}

TEST(UsageBoundTest, BillingIsBoundedAsAFieldAndAsATres) {
  UsageSubmission record = Cpus(1);
  record.billing = 10000;
  EXPECT_FALSE(Bound(10).FindExcess(record).has_value());
  record.billing = 1e18;
  EXPECT_EQ(Bound(10).FindExcess(record)->field, "billing");
  record.billing.reset();
  record.tres = {{"billing", 1e18}};
  EXPECT_EQ(Bound(10).FindExcess(record)->field, "tres[\"billing\"]");
}

TEST(UsageBoundTest, WhatHasNoTotalHasNoBound) {
  UsageSubmission record = Cpus(1);
  record.tres = {{"license/x", 1e18}};
  EXPECT_FALSE(Bound(10).FindExcess(record).has_value());
  EXPECT_FALSE(UsageBound().FindExcess(Cpus(1e18)).has_value());
  const double unlimited = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(Bound(unlimited).FindExcess(Cpus(1e18)).has_value());
}

// Counters a tenth of a second apart, which are rounded to seconds, look like ten times as much.
TEST(UsageBoundTest, ATimeShorterThanTheLeastIsTakenForIt) {
  UsageSubmission record = Cpus(38400);
  record.end_time = *record.start_time + absl::Seconds(6);
  EXPECT_TRUE(Bound(10).FindExcess(record).has_value());
  EXPECT_FALSE(Bound(10).FindExcess(record, absl::Minutes(1)).has_value());
  record.tres = {{"cpu", 38401}};
  EXPECT_EQ(Bound(10).FindExcess(record, absl::Minutes(1))->message,
            "got 38401, want at most 38400 (UsageHeadroom 10 times the 384 that the cluster has, "
            "for a minute at least)");
}

}  // namespace
}  // namespace priorityd::usage
