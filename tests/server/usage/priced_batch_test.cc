#include "server/usage/priced_batch.h"

#include <gtest/gtest.h>

#include "tests/server/usage/small_site.h"

namespace priorityd::usage {
namespace {

const absl::Time kNow = kQosGoneAt + absl::Hours(1);

// All TRES have their numbers, so no database is asked.
PricedBatch PriceAll(const storage::ClusterState& state,
                     const std::vector<UsageSubmission>& submissions) {
  PriceBooks books(nullptr);
  return PriceBatch(BookOf(state), submissions, kNow, &books).value();
}

TEST(PricedBatchTest, RecordsAndCountersKeepTheirPlaces) {
  UsageSubmission faulty = Submission("2");
  faulty.end_time = *faulty.start_time - absl::Seconds(1);
  UsageSubmission counters = Submission("");
  counters.job_id = "7";
  counters.tres.clear();
  counters.counters.emplace().tres_seconds = {{"cpu", 1}};
  const PricedBatch batch =
      PriceAll(SmallSite(), {Submission("1"), faulty, counters, Submission("3")});
  EXPECT_EQ(batch.places, (std::vector<size_t>{0, 3}));
  EXPECT_EQ(batch.counters, std::vector<size_t>{2});
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[1].submitted.record_id, "3");
  EXPECT_EQ(batch.records[0].association_id, kUser);
  EXPECT_EQ(batch.records[0].submitted.tres, (std::vector<storage::TresAmount>{{1, 4}}));
  ASSERT_EQ(batch.results.size(), 4u);
  EXPECT_EQ(batch.results[1].rejection.value().reason, RejectionReason::kEndBeforeStart);
  EXPECT_FALSE(batch.results[0].rejection.has_value());
}

TEST(PricedBatchTest, AUserThatMayHaveExistedIsLookedUpWithoutAnAssociation) {
  UsageSubmission gone = Submission("1");
  gone.account = "z";
  const PricedBatch batch = PriceAll(SmallSite(), {gone});
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.records[0].association_id, 0);
  EXPECT_EQ(batch.records[0].submitted.tres, (std::vector<storage::TresAmount>{{1, 4}}));
  EXPECT_EQ(batch.results[0].rejection.value().reason, RejectionReason::kUnknownAccount);
}

TEST(PricedBatchTest, ARecordEndsBetweenTheHorizonAndAMinuteAhead) {
  storage::ClusterState state = SmallSite();
  UsageSubmission record = Submission("1");
  state.cluster.ledger_horizon = *record.end_time;
  EXPECT_EQ(PriceAll(state, {record}).records.size(), 1u);
  state.cluster.ledger_horizon += absl::Microseconds(1);
  EXPECT_EQ(PriceAll(state, {record}).results[0].rejection.value().reason,
            RejectionReason::kTooOld);
  record.end_time = kNow + absl::Minutes(1);
  EXPECT_EQ(PriceAll(state, {record}).records.size(), 1u);
  record.end_time = *record.end_time + absl::Microseconds(1);
  EXPECT_EQ(PriceAll(state, {record}).results[0].rejection.value().reason,
            RejectionReason::kEndInFuture);
}

// The ledger may have it of a time when the cluster was larger: it is asked, and knows a resend.
TEST(PricedBatchTest, WhatTheClusterCannotProduceIsRejectedAndLookedUp) {
  storage::ClusterState state = SmallSite();
  state.cluster.cpus = 8;
  UsageSubmission record = Submission("1");
  record.tres = {{"cpu", 80}};
  EXPECT_EQ(PriceAll(state, {record}).records[0].association_id, kUser);
  record.tres = {{"cpu", 81}};
  const PricedBatch batch = PriceAll(state, {record});
  EXPECT_EQ(batch.results[0].rejection.value().reason, RejectionReason::kBeyondCapacity);
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.records[0].association_id, 0);
  EXPECT_EQ(batch.records[0].submitted.tres, (std::vector<storage::TresAmount>{{1, 81}}));
}

TEST(PricedBatchTest, AThousandMillionMillionMillionOfBillingIsRejected) {
  storage::ClusterState state = SmallSite();
  state.cluster.cpus = 384;
  UsageSubmission record = Submission("1");
  record.tres.clear();
  record.billing = 1e18;
  EXPECT_EQ(PriceAll(state, {record}).results[0].rejection.value().message,
            "got 1e+18, want at most 38400 (UsageHeadroom 10 times the 3840 that the cluster has)");
}

}  // namespace
}  // namespace priorityd::usage
