// scontrol top: order, sum, and who may.
#include "server/queue/state/top_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

using Ids = std::vector<std::string>;

class TopJobsTest : public testing::Test {
 protected:
  TopJobsTest() {
    site_.source.policy.weight_age = 100000;
    site_.source.policy.max_age = absl::Hours(1000);
    queue_ = std::make_unique<TrackedQueue>(site_.Build());
  }

  void Add(const std::string& job_id, int nice, absl::Duration age,
           const std::string& user = "ann") {
    TrackedJob job;
    const std::string account = user == "cat" ? "chemistry" : "physics";
    job.job = priority::JobOf(job_id);
    job.job.user = user;
    job.job.account = account;
    job.job.nice = nice;
    job.job.submit_time = priority::kNow - age;
    job.job.accrue_time.reset();
    job.job.eligible_time.reset();
    Upsert(job);
  }
  void Upsert(const TrackedJob& job) {
    QueueUpdate update(*queue_, priority::kNow);
    update.Upsert(job);
    queue_->Apply(update.Finish());
  }
  std::vector<TopResult> Top(const Ids& ids, const JobRights& rights = {}) {
    const std::vector<absl::string_view> views(ids.begin(), ids.end());
    std::vector<TopResult> results;
    queue_->Apply(PutFirst(*queue_, views, rights, priority::kNow, &results));
    return results;
  }
  Ids OrderOf(const std::string& user) const {
    const QueueRanking answer = Rank(queue_->state(), priority::Now(), 0);
    Ids ids;
    for (const auto& row : answer.ranking.ranked) {
      if (answer.jobs[row.job].user == user) ids.emplace_back(answer.jobs[row.job].job_id);
    }
    return ids;
  }
  int64_t SumOfNice(const std::string& user) const {
    int64_t sum = 0;
    queue_->ForEach([&](const TrackedJob& job) {
      if (job.job.user == user) sum += job.job.nice;
    });
    return sum;
  }
  int32_t NiceOf(const std::string& job_id) const { return queue_->Find(job_id)->job.nice; }

  priority::SmallSite site_;
  std::unique_ptr<TrackedQueue> queue_;
};

TEST_F(TopJobsTest, TheLastComesFirstAndTheSumOfNiceStays) {
  Add("1", 1000, absl::Hours(30));
  Add("2", 1000, absl::Hours(20));
  Add("3", 1000, absl::Hours(10));
  ASSERT_EQ(OrderOf("ann"), (Ids{"1", "2", "3"}));
  EXPECT_EQ(Top({"3"}).size(), 3u);
  EXPECT_EQ(OrderOf("ann"), (Ids{"3", "1", "2"}));
  EXPECT_EQ(SumOfNice("ann"), 3000);
  // Ages are worth 3000, 2000 and 1000 points; those priorities are dealt again.
  EXPECT_EQ(NiceOf("3"), 1000 - 2000);
  EXPECT_EQ(NiceOf("1"), 1000 + 1000);
  EXPECT_EQ(NiceOf("2"), 1000 + 1000);
  EXPECT_TRUE(Top({"3"}).empty()) << "the same again changes nothing";
}

TEST_F(TopJobsTest, JobsOfEqualPriorityAreMovedApart) {
  for (const char* id : {"1", "2", "3"}) Add(id, 500, absl::Hours(10));
  Top({"3", "2"});
  EXPECT_EQ(OrderOf("ann"), (Ids{"3", "2", "1"}));
  EXPECT_EQ(SumOfNice("ann"), 1500);
}

TEST_F(TopJobsTest, OthersKeepTheirNice) {
  Add("1", 0, absl::Hours(30));
  Add("2", 0, absl::Hours(20));
  Add("7", 5, absl::Hours(25), "bob");
  Add("8", 6, absl::Hours(25), "cat");
  Top({"2"});
  EXPECT_EQ(NiceOf("7"), 5);
  EXPECT_EQ(NiceOf("8"), 6);
}

TEST_F(TopJobsTest, AUserMovesHerOwnJobsOnly) {
  Add("1", 0, absl::Hours(30));
  Add("2", 0, absl::Hours(20));
  const auto denied = Top({"2"}, {.user = "bob"});
  ASSERT_EQ(denied.size(), 1u);
  EXPECT_EQ(denied[0].result.reason, "AccessDenied");
  EXPECT_EQ(Top({"2"}, {.user = "bob", .jobs_are_private = true})[0].result.outcome,
            UpdateOutcome::kNotFound);
  EXPECT_EQ(OrderOf("ann"), (Ids{"1", "2"}));
  Top({"2"}, {.user = "ann"});
  EXPECT_EQ(OrderOf("ann"), (Ids{"2", "1"}));
}

TEST_F(TopJobsTest, ACoordinatorMovesJobsOfHerAccounts) {
  Add("1", 0, absl::Hours(30));
  Add("2", 0, absl::Hours(20));
  Top({"2"}, {.user = "cat", .coordinated = {"chemistry"}});
  EXPECT_EQ(OrderOf("ann"), (Ids{"1", "2"}));
  Top({"2"}, {.user = "cat", .coordinated = {"physics"}});
  EXPECT_EQ(OrderOf("ann"), (Ids{"2", "1"}));
}

TEST_F(TopJobsTest, OneThatCannotBeMovedKeepsAllWhereTheyAre) {
  Add("1", 0, absl::Hours(30));
  Add("2", 0, absl::Hours(20));
  Add("3", 0, absl::Hours(20), "bob");
  TrackedJob held;
  held.job = priority::JobOf("4");
  held.job.hold = priority::Hold::kUser;
  Upsert(held);
  for (const char* other : {"3", "4", "2"}) {
    const auto results = Top({"2", other});
    ASSERT_EQ(results.size(), 1u) << other;
    EXPECT_EQ(results[0].job_id, other);
    EXPECT_EQ(results[0].result.outcome, UpdateOutcome::kInvalid);
  }
  EXPECT_EQ(Top({"2", "99"})[0].result.outcome, UpdateOutcome::kNotFound);
  EXPECT_EQ(OrderOf("ann"), (Ids{"1", "2"}));
}

TEST_F(TopJobsTest, OfAnyJobsTheOrderIsAsWantedAndTheSumStays) {
  priority::Draw draw(20261122);
  for (int round = 0; round < 60; ++round) {
    queue_ = std::make_unique<TrackedQueue>(site_.Build());
    const int jobs = 2 + static_cast<int>(draw.Below(12));
    for (int i = 0; i < jobs; ++i) {
      Add(std::to_string(i), static_cast<int>(draw.Below(4)) * 100,
          absl::Hours(100 + draw.Below(4)));
    }
    Ids want = OrderOf("ann");
    const int64_t sum = SumOfNice("ann");
    Ids first;
    for (const std::string& id : want) {
      if (draw.Below(3) == 0)
        first.insert(first.begin() + draw.Below(static_cast<int>(first.size()) + 1), id);
    }
    if (first.empty()) continue;
    std::erase_if(want, [&](const std::string& id) {
      return std::find(first.begin(), first.end(), id) != first.end();
    });
    want.insert(want.begin(), first.begin(), first.end());
    Top(first);
    EXPECT_EQ(OrderOf("ann"), want) << round;
    EXPECT_EQ(SumOfNice("ann"), sum) << round;
  }
}

}  // namespace
}  // namespace priorityd::queue
