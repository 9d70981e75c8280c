// scontrol top: order, sum, who may, and that no user gains precedence over others by it.
#include "server/queue/state/top_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

using ::testing::HasSubstr;

using Ids = std::vector<std::string>;

class TopJobsTest : public testing::Test {
 protected:
  TopJobsTest() {
    site_.source.policy.weight_age = 100000;
    site_.source.policy.max_age = absl::Hours(1000);
    queue_ = std::make_unique<TrackedQueue>(site_.Build());
  }

  void Add(const std::string& job_id, int nice, absl::Duration age, const std::string& user = "ann",
           absl::string_view source = "") {
    TrackedJob job;
    job.source = source;
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
  // As UpdateJobs with the update_mask nice.
  void SetNice(const std::string& job_id, int nice, const JobRights& rights) {
    JobFields fields;
    ASSERT_TRUE(fields.Add("nice").ok());
    TrackedJob change;
    change.job.job_id = job_id;
    change.job.nice = nice;
    QueueUpdate update(*queue_, priority::kNow, {}, rights);
    update.Change(change, fields);
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
  std::map<std::string, uint32_t> PriorityById() const {
    const QueueRanking answer = Rank(queue_->state(), priority::Now(), 0);
    std::map<std::string, uint32_t> priorities;
    for (const auto& row : answer.ranking.ranked) {
      priorities[std::string(answer.jobs[row.job].job_id)] = *row.priority;
    }
    return priorities;
  }
  int64_t SumOfNice(const std::string& user) const {
    int64_t sum = 0;
    queue_->ForEach([&](const TrackedJob& job) {
      if (job.job.user == user) sum += job.job.nice;
    });
    return sum;
  }
  int32_t NiceOf(const std::string& job_id) const { return queue_->Find(job_id)->job.nice; }
  std::map<std::string, int32_t> NiceById() const {
    std::map<std::string, int32_t> nice;
    queue_->ForEach(
        [&](const TrackedJob& job) { nice[std::string(job.job.job_id)] = job.job.nice; });
    return nice;
  }

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

TEST_F(TopJobsTest, AUserMovesTheirOwnJobsOnly) {
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

TEST_F(TopJobsTest, ACoordinatorMovesJobsOfTheirAccounts) {
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

TEST_F(TopJobsTest, AUsersTopRaisesTheNiceOfTheJobsBehindAlone) {
  Add("1", 0, absl::Hours(30));
  Add("2", 0, absl::Hours(20));
  Add("3", 0, absl::Hours(10));
  EXPECT_EQ(Top({"3"}, {.user = "ann"}).size(), 2u);
  EXPECT_EQ(OrderOf("ann"), (Ids{"3", "1", "2"}));
  // Of 3000, 2000 and 1000 points, job 3 keeps its 1000, and older jobs need less than that.
  EXPECT_EQ(NiceOf("3"), 0);
  EXPECT_EQ(NiceOf("1"), 2001);
  EXPECT_EQ(NiceOf("2"), 1001);
  EXPECT_TRUE(Top({"3"}, {.user = "ann"}).empty()) << "the same again changes nothing";
}

TEST_F(TopJobsTest, AUsersTopTakesBackWhatIsAbove0AndKeepsWhatAnOperatorGave) {
  Add("1", 0, absl::Hours(30));
  Add("2", 2500, absl::Hours(20));
  Add("3", -500, absl::Hours(10));
  Top({"3", "2"}, {.user = "ann"});
  EXPECT_EQ(OrderOf("ann"), (Ids{"3", "2", "1"}));
  EXPECT_EQ(NiceOf("3"), -500);
  // The priorities were 3000, 1500 and -500: the second one is dealt to job 2, less 1 for its age.
  EXPECT_EQ(NiceOf("2"), 2000 - 1499);
  EXPECT_EQ(NiceOf("1"), 3000 + 500);
}

TEST_F(TopJobsTest, NoPriorityIsBelowTheLeastOne) {
  Add("1", 0, absl::ZeroDuration());
  Add("2", 0, absl::ZeroDuration());
  const auto results = Top({"2"}, {.user = "ann"});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].job_id, "2");
  EXPECT_EQ(results[0].result.outcome, UpdateOutcome::kInvalid);
  EXPECT_THAT(results[0].result.message, HasSubstr("job_id: got a job of the least priority, 1"));
  EXPECT_EQ(NiceById(), (std::map<std::string, int32_t>{{"1", 0}, {"2", 0}}));
}

TEST_F(TopJobsTest, AUsersOrderHoldsBelowTheBandOfAUsedUpGrant) {
  site_.source.grants.push_back({.name = "used up",
                                 .accounts = {"physics"},
                                 .tres = "billing",
                                 .available = 1,
                                 .used = 2,
                                 .until = absl::InfiniteFuture(),
                                 .consequence = priority::GrantConsequence::kBand,
                                 .measure = {.most = 1500}});
  queue_ = std::make_unique<TrackedQueue>(site_.Build());
  Add("1", 0, absl::Hours(30));
  Add("2", 0, absl::Hours(20));
  ASSERT_EQ(OrderOf("ann"), (Ids{"1", "2"})) << "both have 1500";
  Top({"2"}, {.user = "ann"});
  EXPECT_EQ(OrderOf("ann"), (Ids{"2", "1"}));
  EXPECT_EQ(NiceOf("2"), 0);
}

TEST_F(TopJobsTest, JobsOfAnotherSourceAreNotABoundCallersToMove) {
  Add("1", 0, absl::Hours(30), "ann", "sa");
  Add("2", 0, absl::Hours(20), "ann", "sb");
  Add("3", 0, absl::Hours(10), "ann", "sb");
  Add("4", 0, absl::Hours(5));
  for (const JobRights& rights :
       {JobRights{.sources = {"sb"}}, JobRights{.user = "ann", .sources = {"sb"}}}) {
    const auto results = Top({"4", "3"}, rights);
    EXPECT_FALSE(results.empty());
    for (const TopResult& top : results) EXPECT_NE(top.job_id, "1");
    EXPECT_EQ(NiceOf("1"), 0);
    Ids order = OrderOf("ann");
    std::erase(order, "1");
    EXPECT_EQ(order, (Ids{"4", "3", "2"}));
    for (const char* id : {"2", "3", "4"}) SetNice(id, 0, {});
  }
}

// 50 jobs whose order a user reverses, eight times, and sets back what then waits longer.
TEST_F(TopJobsTest, ReversalsAndResetsBringNoJobForward) {
  Ids ids;
  for (int i = 10; i < 60; ++i) {
    ids.push_back(std::to_string(i));
    Add(ids.back(), 0, absl::Hours(i));
  }
  const auto before = PriorityById();
  const JobRights own = {.user = "ann"};
  for (int round = 0; round < 8; ++round) {
    Top(ids, own);
    std::reverse(ids.begin(), ids.end());
    for (const auto& [id, nice] : NiceById()) {
      EXPECT_GE(nice, 0) << id;
      SetNice(id, 0, own);
    }
  }
  EXPECT_EQ(PriorityById(), before);
}

// What callers who are no operators did, and the priorities that none of it may exceed: those of a
// nice of 0, or of the negative one that an operator gave.
TEST_F(TopJobsTest, NoSequenceOfAUsersChangesRaisesAPriorityAboveItsBase) {
  priority::Draw draw(20261128);
  const std::vector<JobRights> callers = {{.user = "ann"},
                                          {.user = "bob"},
                                          {.user = "cat", .coordinated = {"physics"}},
                                          {.user = "ann", .coordinated = {"physics"}}};
  int tops = 0;
  for (int round = 0; round < 20; ++round) {
    queue_ = std::make_unique<TrackedQueue>(site_.Build());
    std::map<std::string, int32_t> given;  // By an operator.
    for (int i = 0; i < 12; ++i) {
      const std::string id = std::to_string(i);
      given[id] = draw.Of<int>({0, 0, 0, -1, -700});
      Add(id, given[id], absl::Hours(100 + draw.Below(5)), i < 8 ? "ann" : "bob");
    }
    const std::map<std::string, int32_t> first = given;
    const std::map<std::string, uint32_t> before = PriorityById();
    for (int step = 0; step < 40; ++step) {
      const std::string user = draw.OneIn(3) ? "bob" : "ann";
      const JobRights& caller = draw.Of<int>({0, 1}) == 0 ? callers[draw.Below(4)] : callers[2];
      const Ids jobs = OrderOf(user);
      if (draw.OneIn(12)) {
        const std::string id = draw.Of(jobs);
        given[id] = draw.Of<int>({-900, -3, 0, 4});
        SetNice(id, given[id], {});
        given[id] = std::min(0, given[id]);
      } else if (draw.OneIn(2)) {
        SetNice(draw.Of(jobs), draw.Of<int>({0, 0, 0, 1, 300, 2000, -1, -5000}), caller);
      } else {
        Ids want;
        for (const std::string& id : jobs) {
          if (!draw.OneIn(2)) continue;
          want.insert(want.begin() + draw.Below(static_cast<int>(want.size()) + 1), id);
        }
        const auto nice_before = NiceById();
        const auto results = Top(want, caller);
        const bool refused = !results.empty() && !results[0].result.message.empty();
        if (refused || want.empty()) {
          EXPECT_EQ(NiceById(), nice_before);
        } else {
          ++tops;
          Ids order = OrderOf(user);
          order.resize(want.size());
          EXPECT_EQ(order, want) << round << "." << step;
        }
      }
      for (const auto& [id, nice] : NiceById()) EXPECT_GE(nice, given[id]) << round << "." << step;
      for (const auto& [id, priority] : PriorityById()) {
        EXPECT_LE(priority, before.at(id) + first.at(id) - given[id]) << round << "." << step;
      }
    }
  }
  EXPECT_GT(tops, 100);
}

}  // namespace
}  // namespace priorityd::queue
