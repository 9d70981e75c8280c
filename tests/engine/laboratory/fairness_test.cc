#include "engine/laboratory/fairness.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

absl::Time At(int seconds) { return kBegin + absl::Seconds(seconds); }

TEST(JainIndexTest, IsOneForEqualsAndOneByNForOne) {
  EXPECT_DOUBLE_EQ(JainIndex({3, 3, 3}), 1);
  EXPECT_DOUBLE_EQ(JainIndex({4, 0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(JainIndex({1, 2, 3}), 36.0 / 42);
  EXPECT_DOUBLE_EQ(JainIndex({}), 1);
  EXPECT_DOUBLE_EQ(JainIndex({0, 0}), 1);
}

// Both users have jobs waiting to the end. By 100 u0 has used 100 and u1 nothing; by 200 both 100;
// by 300 200 and 100.
TEST(FairnessTest, ComparesWaitingUsersAtEachSample) {
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 100), JobOf("2", 0, 100), JobOf("3", 0, 100),
                                  JobOf("4", 0, 100), JobOf("5", 0, 100)};
  jobs[1].user = jobs[3].user = "u1";
  const Schedule schedule{{At(0), At(100), At(200), At(1000), At(1100)}};
  const Site site = SmallSite(1, 1, 3).Build();
  const Fairness fairness = FairnessOf(site, jobs, schedule, {At(0), At(300)},
                                       absl::InfiniteDuration(), absl::Seconds(100));
  EXPECT_EQ(fairness.samples, 3);
  EXPECT_DOUBLE_EQ(fairness.jain_index, (0.5 + 1 + 90000.0 / (2 * 50000)) / 3);
}

// The same with three shares of u0: what is due to it is three quarters. By 300 it has used 200 of
// 300, by 3/4 and 1/4: 800/3 and 400.
TEST(FairnessTest, UsageIsComparedByShares) {
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 200), JobOf("2", 0, 100), JobOf("3", 0, 100),
                                  JobOf("4", 0, 100)};
  jobs[1].user = jobs[3].user = "u1";
  const Schedule schedule{{At(0), At(200), At(1000), At(1100)}};
  SmallSite small(1, 1, 2);
  small.associations[2].raw_shares = 3;
  const Fairness fairness = FairnessOf(small.Build(), jobs, schedule, {At(0), At(300)},
                                       absl::InfiniteDuration(), absl::Seconds(300));
  EXPECT_EQ(fairness.samples, 1);
  const double sum = 800.0 / 3 + 400;
  EXPECT_DOUBLE_EQ(fairness.jain_index, sum * sum / (2 * (640000.0 / 9 + 160000)));
}

// u0's 100 seconds end at 100, u1's at 200. A half-life of 100 s: at 200, the first is worth half
// of the second.
TEST(FairnessTest, UsageDecays) {
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 100), JobOf("2", 0, 100), JobOf("3", 0, 100),
                                  JobOf("4", 0, 100)};
  jobs[1].user = jobs[3].user = "u1";
  const Schedule schedule{{At(0), At(100), At(1000), At(1100)}};
  const Fairness fairness = FairnessOf(SmallSite(1, 1, 2).Build(), jobs, schedule, {At(0), At(200)},
                                       absl::Seconds(100), absl::Seconds(200));
  EXPECT_EQ(fairness.samples, 1);
  EXPECT_NEAR(fairness.jain_index, 9.0 / 10, 1e-12);
}

TEST(FairnessTest, WhereNobodyWaitsThereIsNoSample) {
  const std::vector<HistoryJob> jobs = {JobOf("1", 0, 100), JobOf("2", 200, 100)};
  const Fairness fairness =
      FairnessOf(SmallSite(1, 1, 2).Build(), jobs, Recorded(jobs), {At(0), At(200)},
                 absl::InfiniteDuration(), absl::Seconds(10));
  EXPECT_EQ(fairness.samples, 0);
}

}  // namespace
}  // namespace priorityd::laboratory
