#include "server/usage/counters.h"

#include <gtest/gtest.h>

#include "server/usage/running_jobs.h"
#include "tests/server/usage/small_site.h"

namespace priorityd::usage {
namespace {

// Counters of job 7 of a user, read some seconds after its start.
UsageSubmission Read(int seconds, double cpu_seconds, const char* user = "amy") {
  UsageSubmission counters = Submission("");
  counters.job_id = "7";
  counters.user = user;
  counters.end_time = *counters.start_time + absl::Seconds(seconds);
  counters.tres.clear();
  counters.counters.emplace().tres_seconds = {{"cpu", cpu_seconds}};
  return counters;
}

class CountersTest : public ::testing::Test {
 protected:
  void Add(const std::vector<UsageSubmission>& submissions) {
    auto queued = std::make_unique<QueuedBatch>();
    queued->submitted.submissions = submissions;
    PriceBooks books(nullptr);
    queued->priced = PriceBatch(book_, submissions, kQosGoneAt + absl::Hours(1), &books).value();
    results_.push_back(
        std::make_unique<BatchResults>(BatchResults{queued.get(), queued->priced.results}));
    batches_.push_back(results_.back().get());
    queued_.push_back(std::move(queued));
  }

  std::shared_ptr<const PriceBook> book_ = BookOf(SmallSite());
  std::vector<std::unique_ptr<QueuedBatch>> queued_;
  std::vector<std::unique_ptr<BatchResults>> results_;
  std::vector<BatchResults*> batches_;
};

TEST_F(CountersTest, CountersOfOneJobInTwoBatchesFollowEachOther) {
  Add({Read(60, 240)});
  Add({Read(60, 240), Read(100, 440)});
  RunningJobs jobs = NewJobsOf(batches_);
  ASSERT_EQ(jobs.size(), 1u);
  const std::vector<Interval> intervals = TakeCounters(batches_, *book_, &jobs);
  ASSERT_EQ(intervals.size(), 2u);
  EXPECT_EQ(intervals[0].batch, batches_[0]);
  EXPECT_EQ(intervals[0].record.billing_rate, 4);
  EXPECT_EQ(intervals[1].batch, batches_[1]);
  EXPECT_EQ(intervals[1].place, 1u);
  EXPECT_EQ(intervals[1].record.billing_rate, 5);
  EXPECT_EQ(batches_[1]->results[0].status, RecordStatus::kDuplicate);
  EXPECT_EQ(jobs.begin()->second.as_of, kQosGoneAt + absl::Seconds(100));
}

TEST_F(CountersTest, CountersThatCannotBeChargedLeaveTheJobAsItWas) {
  Add({Read(60, 240, "zoe")});
  RunningJobs jobs = NewJobsOf(batches_);
  EXPECT_TRUE(TakeCounters(batches_, *book_, &jobs).empty());
  EXPECT_EQ(batches_[0]->results[0].rejection.value().reason, RejectionReason::kUnknownUser);
  EXPECT_EQ(jobs.begin()->second.as_of, kQosGoneAt);
}

// They may be known no more, and all of it charged already.
TEST_F(CountersTest, ALongRunOfWhichNoCountersAreKnownIsTooOld) {
  UsageSubmission counters = Read(60, 240);
  counters.start_time = *counters.end_time - kLongestUnknownRun - absl::Seconds(1);
  Add({counters});
  RunningJobs jobs = NewJobsOf(batches_);
  EXPECT_TRUE(TakeCounters(batches_, *book_, &jobs).empty());
  EXPECT_EQ(batches_[0]->results[0].rejection.value().reason, RejectionReason::kTooOld);
  // One that is known goes on for as long as it likes.
  jobs.begin()->second.as_of += absl::Seconds(1);
  EXPECT_EQ(TakeCounters(batches_, *book_, &jobs).size(), 1u);
}

TEST_F(CountersTest, CountersThatTheClusterCannotProduceLeaveTheJobAsItWas) {
  storage::ClusterState state = SmallSite();
  state.cluster.cpus = 4;
  book_ = BookOf(state);
  Add({Read(120, 40 * 120), Read(240, 40 * 120 + 41 * 120), Read(241, 40 * 121)});
  RunningJobs jobs = NewJobsOf(batches_);
  const std::vector<Interval> intervals = TakeCounters(batches_, *book_, &jobs);
  EXPECT_EQ(intervals.size(), 2u);
  const Rejection rejection = batches_[0]->results[1].rejection.value();
  EXPECT_EQ(rejection.reason, RejectionReason::kBeyondCapacity);
  EXPECT_EQ(rejection.field, "counters.tres_seconds[\"cpu\"]");
  EXPECT_EQ(rejection.message,
            "got 41, want at most 40 (UsageHeadroom 10 times the 4 that the cluster has)");
  EXPECT_EQ(jobs.begin()->second.as_of, kQosGoneAt + absl::Seconds(241));
}

}  // namespace
}  // namespace priorityd::usage
