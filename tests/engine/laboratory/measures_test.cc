#include "engine/laboratory/measures.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

absl::Time MeasuredAt(int seconds) { return kBegin + absl::Seconds(seconds); }

// Two nodes of one CPU. Job 1 of u0 runs for 100 s on both at once; job 2 of u1 waits for it 90 s
// and runs 5 s on one; job 3 of u1 waits 0 s and runs 300 s on one.
struct ThreeJobs {
  Site site = SmallSite(2, 1, 2).Build();
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 100, 2), JobOf("2", 10, 5), JobOf("3", 200, 300)};
  Schedule schedule{{MeasuredAt(0), MeasuredAt(100), MeasuredAt(200)}};
  Period period;

  ThreeJobs() {
    jobs[1].user = jobs[2].user = "u1";
    period = PeriodOf(jobs, absl::InfinitePast());
  }
};

TEST(MeasuresTest, OfThreeJobsByHand) {
  const ThreeJobs of;
  EXPECT_EQ(of.period.begin, MeasuredAt(0));
  EXPECT_EQ(of.period.end, MeasuredAt(200));
  const Measures measures = Measure(of.site, of.jobs, of.schedule, of.period);
  EXPECT_EQ(measures.jobs, 3);
  EXPECT_DOUBLE_EQ(measures.wait.mean, 30);
  EXPECT_DOUBLE_EQ(measures.wait.median, 0);
  EXPECT_DOUBLE_EQ(measures.wait.p95, 90);
  EXPECT_DOUBLE_EQ(measures.wait.largest, 90);
  // 1, (90 + 5) / 10 and 1.
  EXPECT_DOUBLE_EQ(measures.slowdown.mean, 11.5 / 3);
  EXPECT_DOUBLE_EQ(measures.slowdown.largest, 9.5);
  // 205 CPU-seconds of 2 CPUs in 200 seconds.
  EXPECT_DOUBLE_EQ(measures.utilisation, 205.0 / 400);
  EXPECT_EQ(measures.makespan, absl::Seconds(500));
}

TEST(MeasuresTest, OfUsersAccountsAndSizesByHand) {
  const ThreeJobs of;
  const Measures measures = Measure(of.site, of.jobs, of.schedule, of.period);
  ASSERT_EQ(measures.users.size(), 2);
  EXPECT_EQ(measures.users[0].name, "u0");
  EXPECT_DOUBLE_EQ(measures.users[0].cpu_seconds, 200);
  EXPECT_DOUBLE_EQ(measures.users[0].usage, 200.0 / 205);
  EXPECT_DOUBLE_EQ(measures.users[0].share.value(), 0.5);
  EXPECT_EQ(measures.users[1].jobs, 2);
  EXPECT_DOUBLE_EQ(measures.users[1].wait.mean, 45);
  EXPECT_DOUBLE_EQ(measures.users[1].slowdown, 5.25);
  ASSERT_EQ(measures.accounts.size(), 1);
  EXPECT_DOUBLE_EQ(measures.accounts[0].share.value(), 1);
  EXPECT_DOUBLE_EQ(measures.accounts[0].usage, 1);
  EXPECT_THAT(measures.sizes,
              ElementsAre(Field(&Group::name, "1 CPU"), Field(&Group::name, "2-4 CPUs")));
  EXPECT_EQ(measures.sizes[0].jobs, 2);
}

TEST(MeasuresTest, JobsThatNeverStartAreCountedAndHaveNoWait) {
  ThreeJobs of;
  of.schedule.starts[1].reset();
  const Measures measures = Measure(of.site, of.jobs, of.schedule, of.period);
  EXPECT_EQ(measures.jobs, 3);
  EXPECT_EQ(measures.wait.jobs, 2);
  EXPECT_DOUBLE_EQ(measures.wait.largest, 0);
}

TEST(MeasuresTest, WhatStartedBeforeIsUsedAndNotMeasured) {
  ThreeJobs of;
  const Period period = PeriodOf(of.jobs, MeasuredAt(50));
  EXPECT_EQ(period.begin, MeasuredAt(50));
  // By what was recorded jobs 1 and 2 started at 0 and 10.
  const Measures measures = Measure(of.site, of.jobs, of.schedule, period);
  EXPECT_EQ(measures.jobs, 1);
  EXPECT_DOUBLE_EQ(measures.utilisation, (50 * 2 + 5) / (150.0 * 2));
}

TEST(MeasuresTest, PercentilesAreByNearestRank) {
  std::vector<double> values;
  for (int i = 20; i > 0; --i) values.push_back(i);
  const Spread spread = SpreadOf(values);
  EXPECT_EQ(spread.median, 10);
  EXPECT_EQ(spread.p95, 19);
  EXPECT_EQ(SpreadOf({7}).p95, 7);
  EXPECT_EQ(SpreadOf({}).jobs, 0);
}

TEST(MeasuresTest, SlowdownIsBoundedByTenSecondsAndByOne) {
  EXPECT_DOUBLE_EQ(BoundedSlowdown(absl::Seconds(0), absl::Seconds(0)), 1);
  EXPECT_DOUBLE_EQ(BoundedSlowdown(absl::Seconds(5), absl::Seconds(2)), 1);
  EXPECT_DOUBLE_EQ(BoundedSlowdown(absl::Seconds(38), absl::Seconds(2)), 4);
  EXPECT_DOUBLE_EQ(BoundedSlowdown(absl::Seconds(100), absl::Seconds(50)), 3);
}

TEST(MeasuresTest, UsersWithParentsSharesDivideThemEvenly) {
  SmallSite small(1, 1, 4);
  for (const int user : {2, 3}) small.associations[user].raw_shares.reset();
  const Site site = small.Build();
  const std::vector<double> due = DueShares(*site.tree);
  // u0 and u1 divide lab's; u2 and u3 have one share each of lab's two.
  const auto of = [&](const char* user) { return due[site.tree->FindUser("lab", user, "")]; };
  EXPECT_DOUBLE_EQ(of("u0"), 0.5);
  EXPECT_DOUBLE_EQ(of("u1"), 0.5);
  EXPECT_DOUBLE_EQ(of("u2"), 0.5);
}

TEST(MeasuresTest, ADifferenceIsOfThoseThatStartInBoth) {
  const ThreeJobs of;
  const Schedule other{{MeasuredAt(0), MeasuredAt(40), std::nullopt}};
  const Difference difference = Compare(of.jobs, other, of.schedule, of.period);
  EXPECT_EQ(difference.jobs, 2);
  EXPECT_EQ(difference.same, 1);
  EXPECT_EQ(difference.earlier, 1);
  EXPECT_EQ(difference.later, 0);
  EXPECT_DOUBLE_EQ(difference.mean_seconds, 30);
  EXPECT_DOUBLE_EQ(difference.largest_seconds, 60);
}

TEST(MeasuresTest, OfNothingThereIsNothing) {
  const Site site = SmallSite(1, 1, 1).Build();
  const Measures measures = Measure(site, {}, {}, PeriodOf({}, absl::InfinitePast()));
  EXPECT_EQ(measures.jobs, 0);
  EXPECT_EQ(measures.utilisation, 0);
  EXPECT_TRUE(measures.users.empty());
}

}  // namespace
}  // namespace priorityd::laboratory
