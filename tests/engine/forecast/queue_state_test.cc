#include "engine/forecast/queue_state.h"

#include <cmath>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

Job JobOf(const std::string& id, Seconds time, double cpus, double limit,
          const std::string& user = "ann") {
  Job job;
  job.id = id;
  job.submit_time = time;
  job.cpus = cpus;
  job.limit = limit;
  job.user = user;
  return job;
}

float Value(const Row& row, absl::string_view name) {
  for (size_t i = 0; i < kFeatures; ++i) {
    if (Features()[i].name == name) return row[i];
  }
  ADD_FAILURE() << "no feature " << name;
  return 0;
}

TEST(QueueStateTest, EachFeatureHasANameOfItsOwnAndGroupsAreTogether) {
  std::set<absl::string_view> names, groups;
  absl::string_view group;
  for (const FeatureInfo& feature : Features()) {
    EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
    if (feature.group != group) EXPECT_TRUE(groups.insert(feature.group).second) << feature.group;
    group = feature.group;
  }
}

// 10 CPUs: 6 run until 1100 by their limit; 8 and 2 CPUs wait.
TEST(QueueStateTest, ARowIsWhatOneCountsByHand) {
  QueueState state(10);
  ASSERT_TRUE(state.Submit(JobOf("1", 1000, 6, 100)));
  ASSERT_TRUE(state.Start("1", 1010));
  ASSERT_TRUE(state.Submit(JobOf("2", 1020, 8, 600, "bob")));
  ASSERT_TRUE(state.Submit(JobOf("3", 1030, 2, 60)));
  const Row row = state.MakeRow(JobOf("", 0, 4, 300), 1050);
  EXPECT_EQ(Value(row, "work"), 1200);
  EXPECT_EQ(Value(row, "queue_jobs"), 2);
  EXPECT_EQ(Value(row, "queue_cpus"), 10);
  EXPECT_EQ(Value(row, "queue_work"), (8 * 600 + 2 * 60) / 10.F);
  EXPECT_EQ(Value(row, "smaller_jobs"), 1);
  EXPECT_EQ(Value(row, "narrower_cpus"), 2);
  EXPECT_EQ(Value(row, "oldest_age"), 30);
  EXPECT_EQ(Value(row, "mean_age"), 25);
  EXPECT_EQ(Value(row, "blocked_jobs"), 1);
  EXPECT_EQ(Value(row, "free_cpus"), 4);
  EXPECT_EQ(Value(row, "free_by_cpus"), 1);
  EXPECT_EQ(Value(row, "limits_left"), 6 * 60 / 10.F);
  EXPECT_EQ(Value(row, "until_free_by_limits"), 0);
  // 2 of bob's 8 are missing until 1110; 4 more than these 10 never are free: 60 x 1.5 + 60.
  EXPECT_EQ(Value(row, "oldest_until_free"), 60);
  EXPECT_EQ(Value(row, "oldest_leaves_time"), 60 - 300);
  EXPECT_EQ(Value(row, "oldest_leaves_cpus"), 10 - 8 - 4);
  EXPECT_EQ(Value(row, "until_free_after_queue_by_limits"), 150);
  EXPECT_EQ(Value(row, "starts_1h"), 1);
  EXPECT_EQ(Value(row, "submissions_1h"), 3);
  EXPECT_EQ(Value(row, "user_waiting"), 1);
  EXPECT_EQ(Value(row, "user_running_cpus"), 6);
  EXPECT_EQ(Value(row, "user_since_start"), 40);
  EXPECT_EQ(Value(row, "user_since_submission"), 20);
  EXPECT_NEAR(Value(row, "user_last_wait"), std::log(1 + 10 / 60.), 1e-6);
  EXPECT_EQ(Value(row, "shape_last_wait"), kMissing);
  EXPECT_EQ(Value(row, "known_priority"), kMissing);
}

TEST(QueueStateTest, AnEndFreesCpusAndTeachesRunTimes) {
  QueueState state(10);
  state.Submit(JobOf("1", 1000, 6, 100));
  state.Start("1", 1000);
  EXPECT_EQ(state.ExpectedRunTime(JobOf("", 0, 6, 100)), 50);
  state.End("1", 1020);
  EXPECT_EQ(state.ExpectedRunTime(JobOf("", 0, 6, 100)), 20);
  EXPECT_NEAR(state.ExpectedRunTime(JobOf("", 0, 1, 1000)), 200, 1e-4) << "so much of its limit";
  EXPECT_NEAR(state.ExpectedRunTime(JobOf("", 0, 6, 10)), 2, 1e-4);
  const Row row = state.MakeRow(JobOf("", 0, 1, 1000), 1021);
  EXPECT_EQ(Value(row, "free_cpus"), 10);
  EXPECT_EQ(Value(row, "running_jobs"), 0);
  EXPECT_NEAR(Value(row, "user_usage"), 6 * 20, 0.01);
}

TEST(QueueStateTest, WhatTheServiceKnowsIsInTheRow) {
  Job job = JobOf("", 0, 1, 60);
  job.known.jobs_ahead = 7;
  job.known.planned_wait = 90;
  job.known.expected_wait = 30;
  const Row row = QueueState(10).MakeRow(job, 5);
  EXPECT_EQ(Value(row, "known_jobs_ahead"), 7);
  EXPECT_EQ(Value(row, "known_planned_wait"), 90);
  EXPECT_EQ(Value(row, "known_expected_wait"), 30);
  EXPECT_EQ(Value(row, "known_fair_share"), kMissing);
}

TEST(QueueStateTest, PlannedWaitsCountFromTheEarliestStart) {
  Job job = JobOf("", 0, 1, 60);
  job.known.planned_wait = 90;
  job.known.expected_wait = 30;
  job.known.earliest_wait = 50;
  const Row row = QueueState(10).MakeRow(job, 5);
  EXPECT_EQ(Value(row, "known_planned_wait"), 40);
  EXPECT_EQ(Value(row, "known_expected_wait"), 0);
}

TEST(QueueStateTest, AJobThatOutlivesWhatWasExpectedRunsHalfAsLongAgain) {
  EXPECT_EQ(ExpectedRest(1000, 3600, 400), 600);
  EXPECT_EQ(ExpectedRest(1000, 3600, 1000), 500);
  EXPECT_EQ(ExpectedRest(1000, 3600, 3000), 600) << "its time limit";
  EXPECT_EQ(ExpectedRest(10, 3600, 20), 60) << "a minute at least";
}

TEST(QueueStateTest, UnknownIdsAndInvalidJobsAreRejected) {
  QueueState state;
  EXPECT_FALSE(state.Submit(JobOf("1", 0, 0, 60)));
  EXPECT_FALSE(state.Submit(JobOf("1", 0, 1, -1)));
  EXPECT_TRUE(state.Submit(JobOf("1", 0, 1, 60)));
  EXPECT_FALSE(state.Submit(JobOf("1", 0, 1, 60)));
  EXPECT_FALSE(state.End("1", 5));
  EXPECT_TRUE(state.Start("1", 5));
  EXPECT_FALSE(state.Start("1", 5));
  EXPECT_FALSE(state.Cancel("1"));
  EXPECT_FALSE(state.Submit(JobOf("1", 6, 1, 60)));
  EXPECT_TRUE(state.End("1", 9));
  EXPECT_TRUE(state.Submit(JobOf("1", 10, 1, 60)));
  EXPECT_TRUE(state.Cancel("1"));
  EXPECT_EQ(state.waiting() + state.running(), 0);
}

TEST(QueueStateTest, ACancelledJobLeavesNoTrace) {
  QueueState state(10), other(10);
  state.Submit(JobOf("1", 1000, 6, 100));
  state.Submit(JobOf("2", 1001, 3, 50));
  state.Cancel("1");
  other.Submit(JobOf("2", 1001, 3, 50));
  const Row row = state.MakeRow(JobOf("", 0, 1, 60), 2000);
  const Row same = other.MakeRow(JobOf("", 0, 1, 60), 2000);
  for (size_t i = 0; i < kFeatures; ++i) {
    const absl::string_view name = Features()[i].name;
    if (absl::StartsWith(name, "submissions")) continue;  // It was one.
    EXPECT_EQ(row[i], same[i]) << name;
  }
}

TEST(QueueStateTest, AnAbsurdJobLeavesTheRowsOfOthersAlone) {
  QueueState state(10);
  ASSERT_TRUE(state.Submit(JobOf("1", 1000, 6, 100)));
  ASSERT_TRUE(state.Submit(JobOf("2", 1000, 0.5, 0)));
  const auto row = [&state] { return state.MakeRow(JobOf("", 0, 4, 300), 1010); };
  const Row before = row();
  for (const double beyond : {1.1e12, 1e18, 1e300, std::nan("")}) {
    EXPECT_FALSE(state.Submit(JobOf("absurd", 1000, beyond, 60))) << beyond;
    EXPECT_FALSE(state.Run(JobOf("absurd", 1000, 1, beyond))) << beyond;
    EXPECT_EQ(row(), before) << beyond;
  }
  ASSERT_TRUE(state.Submit(JobOf("largest", 1000, 1e12, 1e12)));
  for (const float value : row()) EXPECT_TRUE(std::isfinite(value));
  ASSERT_TRUE(state.Cancel("largest"));
  const Row after = row();
  for (size_t i = 0; i < kFeatures; ++i) {
    if (absl::StrContains(Features()[i].name, "submission")) continue;  // It was one.
    EXPECT_EQ(after[i], before[i]) << Features()[i].name;
  }
}

TEST(LikeJobsTest, OfTooManyNamesTheOldestWithoutJobsAreForgotten) {
  LikeJobsByName names(100);
  names.Get("waits")->Submit(1, 0);
  for (int i = 1; i <= 1000; ++i) {
    LikeJobs* jobs = names.Get(absl::StrCat(i));
    jobs->Submit(1, i);
    jobs->Start(1, i, i);
    jobs->End(1, 0, 10, i);
  }
  EXPECT_LE(names.size(), 100);
  EXPECT_EQ(names.Find("waits").waiting(), 1);
  EXPECT_EQ(names.Find("1000").SinceStart(1000), 0);
  EXPECT_EQ(names.Find("1").SinceStart(1000), kMissing);
}

TEST(LastEightTest, OnlyTheLastEightCount) {
  LastEight numbers;
  EXPECT_EQ(numbers.Mean(), kMissing);
  for (int i = 1; i <= 10; ++i) numbers.Add(static_cast<float>(i));
  EXPECT_EQ(numbers.Last(), 10);
  EXPECT_EQ(numbers.Mean(), 6.5);
  EXPECT_EQ(numbers.Greatest(), 10);
  EXPECT_EQ(numbers.MeanOfTwo(), 9.5);
}

}  // namespace
}  // namespace priorityd::forecast
