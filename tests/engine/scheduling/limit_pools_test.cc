#include "engine/scheduling/limit_pools.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/engine/priority/small_site.h"

namespace priorityd::scheduling {
namespace {

using priority::LimitKind;

class LimitPoolsTest : public testing::Test {
 protected:
  // The row of a waiting job.
  std::vector<plan::PoolNeed> NeedsOf(const priority::Job& job) { return NeedsOf(job, job); }
  // In the row of another one, which can be ranked.
  std::vector<plan::PoolNeed> NeedsOf(const priority::Job& job, const priority::Job& ranked) {
    const auto ranking =
        priority::Rank(*snapshot_, absl::MakeConstSpan(&ranked, 1), {.as_of = priority::kNow});
    EXPECT_EQ(ranking.ranked.size(), 1);
    return pools_->NeedsOf(job, ranking.ranked.front());
  }
  void Build() {
    snapshot_ = site_.Build();
    pools_.emplace(*snapshot_, 5);
  }
  priority::Job JobOf(absl::string_view id, absl::string_view user, double cpus) {
    priority::Job job = priority::JobOf(id);
    job.user = user;
    job.cpus = cpus;
    return job;
  }

  priority::SmallSite site_;
  std::unique_ptr<const priority::Snapshot> snapshot_;
  std::optional<LimitPools> pools_;
};

TEST_F(LimitPoolsTest, EachOwnerOfALimitHasAPool) {
  site_.association("physics").limits.others = {{LimitKind::kGrpTres, "cpu", 10}};
  site_.association("physics", "ann").limits.others = {{LimitKind::kMaxJobs, "", 3}};
  site_.association("physics", "bob").limits.others = {{LimitKind::kMaxJobs, "", 2}};
  Build();
  const auto ann = NeedsOf(JobOf("1", "ann", 2.5)), bob = NeedsOf(JobOf("2", "bob", 8));
  ASSERT_EQ(ann.size(), 2);
  ASSERT_EQ(bob.size(), 2);
  int shared = -1;
  for (const plan::PoolNeed& need : ann) {
    for (const plan::PoolNeed& other : bob) shared = need.pool == other.pool ? need.pool : shared;
  }
  ASSERT_GE(shared, 5) << "the CPUs of the account";
  EXPECT_EQ(pools_->sizes().size(), 3);
  EXPECT_EQ(pools_->sizes()[shared - 5], 10'000);
  for (const plan::PoolNeed& need : ann) {
    EXPECT_EQ(need.amount, need.pool == shared ? 2'500 : 1'000);
    EXPECT_EQ(pools_->CanFill(need.pool), need.pool == shared) << "10.5 of 10 CPUs, 1 of 3 jobs";
  }
}

TEST_F(LimitPoolsTest, LimitsOnOneJobOnTimeAndOnSubmissionsAreNone) {
  site_.association("physics", "ann").limits.others = {{LimitKind::kMaxTres, "cpu", 100},
                                                       {LimitKind::kMaxSubmitJobs, "", 100},
                                                       {LimitKind::kGrpTresMins, "cpu", 1e9},
                                                       {LimitKind::kGrpTresRunMins, "cpu", 1e9},
                                                       {LimitKind::kMaxWall, "", 1e9}};
  Build();
  EXPECT_TRUE(NeedsOf(JobOf("1", "ann", 2)).empty());
}

TEST_F(LimitPoolsTest, ALimitOfAQosReplacesThatOfTheAssociation) {
  site_.association("physics", "ann").limits.others = {{LimitKind::kMaxJobs, "", 3}};
  site_.qos("normal").other_limits = {{LimitKind::kMaxJobs, "", 7}};
  Build();
  priority::Job job = JobOf("1", "ann", 2);
  job.qos = {"normal"};
  ASSERT_EQ(NeedsOf(job).size(), 1);
  EXPECT_EQ(pools_->sizes(), std::vector<int64_t>{7'000});
}

TEST_F(LimitPoolsTest, ALimitThatVeryManyJobsShareIsLeftOut) {
  site_.association("physics", "ann").limits.others = {{LimitKind::kGrpJobs, "", 100}};
  Build();
  for (int i = 0; i < LimitPools::kMostJobs; ++i) NeedsOf(JobOf("1", "ann", 1));
  EXPECT_TRUE(pools_->CanFill(5));
  NeedsOf(JobOf("1", "ann", 1));
  EXPECT_FALSE(pools_->CanFill(5));
}

TEST_F(LimitPoolsTest, DemandsBeyond64BitsStayWantedByVeryManyJobs) {
  site_.association("physics", "ann").limits.others = {{LimitKind::kGrpTres, "cpu", 1e12}};
  Build();
  // 1e15 parts each; 64 bits hold 9,223 of them.
  const priority::Job huge = JobOf("1", "ann", 1e12), usual = JobOf("1", "ann", 1);
  for (int i = 0; i < LimitPools::kMostJobs; ++i) NeedsOf(huge, usual);
  EXPECT_TRUE(pools_->CanFill(5));
  for (int i = LimitPools::kMostJobs; i < 10'000; ++i) NeedsOf(huge, usual);
  EXPECT_FALSE(pools_->CanFill(5));
}

}  // namespace
}  // namespace priorityd::scheduling
