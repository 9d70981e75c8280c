#include "server/budgets/grant_running.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/server/budgets/running_jobs.h"

namespace priorityd::budgets {
namespace {

// What is left of the hour of a job, of which the first 5 minutes are recorded.
constexpr double kLeft = 3300;

priority::GrantStanding OfOwner(const std::vector<std::string>& accounts, const std::string& user,
                                const std::string& tres) {
  priority::GrantStanding grant;
  grant.accounts = accounts;
  grant.user = user;
  grant.tres = tres;
  return grant;
}

class GrantRunningTest : public testing::Test {
 protected:
  GrantRunningTest() {
    site_.source.grants = {OfOwner({"physics"}, "", "cpu")};
    site_.qos("high").usage_factor = 2;
    for (const char* id : {"1", "2", "3"}) {
      site_.source.recorded_until[id] = priority::kNow - absl::Minutes(5);
    }
    snapshot_ = site_.Build();
    usage_ = RunningUsage(QueueOf(
        snapshot_, {HourOf("1", "ann", "physics", 4, 2), HourOf("2", "bob", "physics", 8, 0),
                    HourOf("3", "cat", "chemistry", 2, 1, "high")}));
  }

  double SecondsOf(const std::vector<std::string>& accounts, const std::string& user,
                   const std::string& tres) {
    return GrantRunning(*snapshot_, usage_).SecondsOf(OfOwner(accounts, user, tres));
  }

  priority::SmallSite site_;
  std::shared_ptr<const priority::Snapshot> snapshot_;
  RunningUsage usage_;
};

TEST_F(GrantRunningTest, TheJobsOfTheAccountsAndOfAllBelowThemCountOnce) {
  EXPECT_EQ(SecondsOf({"physics"}, "", "cpu"), 12 * kLeft);
  EXPECT_EQ(SecondsOf({"physics", "root"}, "", "gres/gpu"), (2 + 2 * 1) * kLeft);
}

TEST_F(GrantRunningTest, TheJobsOfTheUserCountInTheAccountItself) {
  EXPECT_EQ(SecondsOf({"physics"}, "bob", "cpu"), 8 * kLeft);
  EXPECT_EQ(SecondsOf({"chemistry"}, "bob", "cpu"), 0);
}

TEST_F(GrantRunningTest, ASumCountsByItsWeights) {
  EXPECT_EQ(SecondsOf({"physics"}, "ann", "cpu=1,gres/gpu=20"), (4 + 2 * 20) * kLeft);
}

TEST_F(GrantRunningTest, JobsCountTimesTheUsageFactor) {
  EXPECT_EQ(SecondsOf({"chemistry"}, "", "cpu"), 2 * 2 * kLeft);
}

TEST_F(GrantRunningTest, AccountsAndTresThatDoNotExistHaveNothing) {
  EXPECT_EQ(SecondsOf({"biology"}, "", "cpu"), 0);
  EXPECT_EQ(SecondsOf({"physics"}, "", "gres/fpga"), 0);
}

// Chemistry has another index in its tree.
TEST_F(GrantRunningTest, TheSnapshotMayBeNewerThanThatOfTheJobs) {
  site_.associations.erase(site_.associations.begin() + 1, site_.associations.begin() + 4);
  snapshot_ = site_.Build();
  EXPECT_EQ(SecondsOf({"chemistry"}, "", "cpu"), 2 * 2 * kLeft);
  EXPECT_EQ(SecondsOf({"physics"}, "", "cpu"), 0);
}

}  // namespace
}  // namespace priorityd::budgets
