#include "engine/forecast/waits_by_hour.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

constexpr Seconds kDay = 1'767'571'200;  // 2026-01-05T00:00:00Z

RecordedJob JobAt(Seconds submit, std::optional<Seconds> wait, const std::string& user = "") {
  RecordedJob job;
  job.job.submit_time = submit;
  job.job.user = user.empty() ? std::to_string(submit) : user;
  if (wait.has_value()) job.start = submit + *wait;
  return job;
}

int HourOf(Seconds time) { return static_cast<int>(time / 3600 % 24); }
bool All(const Job&) { return true; }

WaitsByHour Find(const std::vector<RecordedJob>& history) {
  return FindWaitsByHour(history, All, HourOf);
}

// Of 1 to 10 minutes five have started by the fifth, nine by the ninth.
TEST(WaitsByHourTest, EachHourHasTheQuantilesOfItsOwnWaits) {
  std::vector<RecordedJob> history;
  for (Seconds i = 1; i <= 10; ++i) {
    history.push_back(JobAt(kDay + 3 * 3600 + i, 60 * i));
    history.push_back(JobAt(kDay + 21 * 3600 + i, 6 * i));
  }
  const WaitsByHour waits = Find(history);
  EXPECT_EQ(waits.hours[3].count, 10);
  EXPECT_EQ(waits.hours[3].half, 300);
  EXPECT_EQ(waits.hours[3].nine_of_ten, 540);
  EXPECT_EQ(waits.hours[21].half, 30);
  EXPECT_EQ(waits.all.count, 20);
  EXPECT_EQ(waits.hours[4].count, 0);
  EXPECT_FALSE(waits.hours[4].half.has_value());
}

// The remission times of 21 patients with 6-mercaptopurine, in weeks; a censored one is negative.
// Freireich et al., "The effect of 6-mercaptopurine on the duration of steroid-induced remissions
// in acute leukemia", Blood 21 (1963): the median is 23, as textbooks print it.
TEST(WaitsByHourTest, CensoredWaitsCountForAsLongAsTheyWereSeen) {
  const std::vector<int> weeks = {6,  6,  6,   -6,  7,   -9,  10,  -10, -11, 13, 16,
                                  22, 23, -17, -19, -20, -25, -32, -32, -34, -35};
  std::vector<RecordedJob> history;
  for (size_t i = 0; i < weeks.size(); ++i) {
    RecordedJob job = JobAt(kDay + static_cast<Seconds>(i), std::nullopt);
    (weeks[i] > 0 ? job.start : job.cancel) = job.job.submit_time + std::abs(weeks[i]);
    history.push_back(job);
  }
  const WaitsByHour waits = Find(history);
  EXPECT_EQ(waits.all.count, 21);
  EXPECT_EQ(waits.all.half, 23);
  EXPECT_FALSE(waits.all.nine_of_ten.has_value()) << "the estimate ends at .448 still in remission";
}

// Two jobs started after 10 and 20 s; the third waited for 90 s when the history ended.
TEST(WaitsByHourTest, WhatStillWaitsWasSeenUntilTheEndOfTheHistory) {
  RecordedJob ends = JobAt(kDay, 10);
  ends.end = kDay + 100;
  const WaitsByHour waits = Find({ends, JobAt(kDay + 1, 20), JobAt(kDay + 10, std::nullopt)});
  EXPECT_EQ(waits.all.count, 3);
  EXPECT_EQ(waits.all.half, 20);
  EXPECT_FALSE(waits.all.nine_of_ten.has_value());
}

TEST(WaitsByHourTest, ABurstOfOneUserIsOneSubmissionThatStartsWithItsFirstJob) {
  std::vector<RecordedJob> history = {JobAt(kDay, std::nullopt, "ann"), JobAt(kDay, 500, "ann"),
                                      JobAt(kDay, 100, "ann"), JobAt(kDay, 900, "bob")};
  const WaitsByHour waits = Find(history);
  EXPECT_EQ(waits.all.count, 2);
  EXPECT_EQ(waits.all.half, 100);
  EXPECT_EQ(waits.all.nine_of_ten, 900);
}

TEST(WaitsByHourTest, OnlyWantedJobsCount) {
  std::vector<RecordedJob> history = {JobAt(kDay, 5, "ann"), JobAt(kDay, 50, "bob")};
  const auto waits = FindWaitsByHour(
      history, [](const Job& job) { return job.user == "bob"; }, HourOf);
  EXPECT_EQ(waits.all.count, 1);
  EXPECT_EQ(waits.all.half, 50);
}

// Without censored ones the estimate is that of the sorted waits: the least k with k / n at least
// the level.
TEST(WaitsByHourTest, WithoutCensoredWaitsItIsTheOrderStatistic) {
  std::mt19937 random(5);
  for (int count = 1; count <= 60; ++count) {
    std::vector<RecordedJob> history;
    std::vector<double> sorted;
    for (int i = 0; i < count; ++i) {
      const Seconds wait = random() % 10'000;
      sorted.push_back(static_cast<double>(wait));
      history.push_back(JobAt(kDay + i, wait));
    }
    std::sort(sorted.begin(), sorted.end());
    const WaitsByHour waits = Find(history);
    EXPECT_EQ(waits.all.half, sorted[(count + 1) / 2 - 1]) << count;
    EXPECT_EQ(waits.all.nine_of_ten, sorted[(9 * count + 9) / 10 - 1]) << count;
  }
}

}  // namespace
}  // namespace priorityd::forecast
