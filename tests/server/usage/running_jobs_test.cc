#include "server/usage/running_jobs.h"

#include <gtest/gtest.h>

namespace priorityd::usage {
namespace {

const absl::Time kJobStart = absl::FromUnixSeconds(1'700'000'000);

// Counters of a job that began at kJobStart, read `seconds` later.
UsageSubmission Beat(int seconds, double cpu_seconds) {
  UsageSubmission beat;
  beat.source = "collector";
  beat.job_id = "7";
  beat.account = "a";
  beat.start_time = kJobStart;
  beat.end_time = kJobStart + absl::Seconds(seconds);
  beat.counters.emplace().tres_seconds = {{"cpu", cpu_seconds}};
  return beat;
}

storage::RunningJob After(const UsageSubmission& beat) {
  storage::RunningJob job = NewJob(beat);
  Advance(beat, &job);
  return job;
}

RecordResult ResultOf(const UsageSubmission& beat, const storage::RunningJob& job) {
  auto result = IntervalOf(beat, job);
  if (!std::holds_alternative<RecordResult>(result)) return {};
  return std::get<RecordResult>(result);
}

RejectionReason ReasonOf(const UsageSubmission& beat, const storage::RunningJob& job) {
  const RecordResult result = ResultOf(beat, job);
  EXPECT_TRUE(result.rejection.has_value());
  return result.rejection.has_value() ? result.rejection->reason : RejectionReason::kMissingField;
}

TEST(RunningJobsTest, TheFirstCountersCountFromTheStart) {
  const auto interval = std::get<UsageSubmission>(IntervalOf(Beat(60, 240), NewJob(Beat(60, 240))));
  EXPECT_EQ(interval.start_time, kJobStart);
  EXPECT_EQ(interval.end_time, kJobStart + absl::Seconds(60));
  ASSERT_EQ(interval.tres.size(), 1u);
  EXPECT_EQ(interval.tres[0].second, 4);
  EXPECT_FALSE(interval.counters.has_value());
}

TEST(RunningJobsTest, TheNextOnesCountWhatIsNew) {
  const auto interval = std::get<UsageSubmission>(IntervalOf(Beat(100, 440), After(Beat(60, 240))));
  EXPECT_EQ(interval.start_time, kJobStart + absl::Seconds(60));
  EXPECT_EQ(interval.tres[0].second, 5);
}

TEST(RunningJobsTest, BillingSecondsAreDividedToo) {
  UsageSubmission first = Beat(60, 240);
  first.counters->billing_seconds = 60;
  UsageSubmission second = Beat(100, 440);
  second.counters->billing_seconds = 140;
  EXPECT_EQ(std::get<UsageSubmission>(IntervalOf(second, After(first))).billing, 2);
}

TEST(RunningJobsTest, TheSameCountersAndOlderOnesAreDuplicates) {
  const storage::RunningJob job = After(Beat(60, 240));
  EXPECT_EQ(ResultOf(Beat(60, 240), job).status, RecordStatus::kDuplicate);
  EXPECT_EQ(ResultOf(Beat(30, 100), job).status, RecordStatus::kDuplicate);
}

TEST(RunningJobsTest, CountersThatContradictLaterOnesAreAConflict) {
  const storage::RunningJob job = After(Beat(60, 240));
  EXPECT_EQ(ReasonOf(Beat(60, 241), job), RejectionReason::kConflict);
  EXPECT_EQ(ReasonOf(Beat(60, 239), job), RejectionReason::kConflict);
  EXPECT_EQ(ReasonOf(Beat(30, 241), job), RejectionReason::kConflict);
}

TEST(RunningJobsTest, ACounterNeverFalls) {
  const storage::RunningJob job = After(Beat(60, 240));
  EXPECT_EQ(ReasonOf(Beat(90, 239), job), RejectionReason::kCounterBackwards);
  UsageSubmission without = Beat(90, 0);
  without.counters->tres_seconds = {{"mem", 1}};
  EXPECT_EQ(ReasonOf(without, job), RejectionReason::kCounterBackwards);
}

TEST(RunningJobsTest, AnotherStartOverlapsUnlessTheJobRanAgain) {
  const storage::RunningJob job = After(Beat(60, 240));
  UsageSubmission other = Beat(90, 300);
  other.start_time = kJobStart + absl::Seconds(1);
  EXPECT_EQ(ReasonOf(other, job), RejectionReason::kOverlap);
  other.start_time = kJobStart + absl::Seconds(70);
  other.counters->tres_seconds = {{"cpu", 40}};
  const auto interval = std::get<UsageSubmission>(IntervalOf(other, job));
  EXPECT_EQ(interval.start_time, kJobStart + absl::Seconds(70));
  EXPECT_EQ(interval.tres[0].second, 2);
}

TEST(RunningJobsTest, AJobWithoutCountersMayHaveBegunAtAnyTime) {
  UsageSubmission other = Beat(90, 180);
  other.start_time = kJobStart - absl::Seconds(90);
  const auto interval = std::get<UsageSubmission>(IntervalOf(other, NewJob(Beat(60, 240))));
  EXPECT_EQ(interval.start_time, kJobStart - absl::Seconds(90));
  EXPECT_EQ(interval.tres[0].second, 1);
}

TEST(RunningJobsTest, NamesAreComparedWithoutCase) {
  UsageSubmission upper = Beat(90, 300);
  upper.counters->tres_seconds = {{"CPU", 300}};
  const auto interval = std::get<UsageSubmission>(IntervalOf(upper, After(Beat(60, 240))));
  EXPECT_EQ(interval.tres[0].second, 2);
}

}  // namespace
}  // namespace priorityd::usage
