#include "engine/priority/ranking/limit_rooms.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_table.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

// Whether the first job of a queue fits, whatever else is in it. That a job that fits exceeds no
// limit is tested by RankingPropertyTest, which knows nothing of rooms.
class LimitRoomsTest : public testing::Test {
 protected:
  static Job JobOfAnn(double cpus, int minutes) {
    Job job = JobOf("1");
    job.cpus = cpus;
    job.time_limit = absl::Minutes(minutes);
    return job;
  }
  static Job Running(const char* job_id, const char* user, const char* account) {
    Job job = JobOf(job_id);
    job.user = user;
    job.account = account;
    job.cpus = 4;
    job.time_limit = absl::Minutes(10);
    job.state = JobState::kRunning;
    job.start_time = kNow;
    return job;
  }
  void Limit(absl::string_view account, LimitKind kind, const char* tres, double value) {
    site_.association(account, "").limits.others.push_back({kind, tres, value});
  }
  bool FirstFits(const std::vector<Job>& jobs) {
    const std::unique_ptr<const Snapshot> snapshot = site_.Build();
    const FactorScale scale(*snapshot);
    const JobTable table = BuildJobTable(scale, jobs, kNow);
    const LimitDemands demands(*snapshot, jobs, table);
    LimitCounts counts(snapshot->limits());
    demands.CountAll(*snapshot, table, true, &counts);
    const LimitCheck check(*snapshot, counts, kNow);
    LimitRooms rooms(check);
    const bool fits = rooms.Fit(table, demands, 0);
    EXPECT_EQ(fits, rooms.Fit(table, demands, 0)) << "asked again";
    return fits;
  }

  SmallSite site_;
};

TEST_F(LimitRoomsTest, AJobFitsUpToWhatRunningJobsLeave) {
  Limit("physics", LimitKind::kGrpTres, "cpu", 10);
  const Job bobs = Running("2", "bob", "physics");
  EXPECT_TRUE(FirstFits({JobOfAnn(6, 1), bobs}));
  EXPECT_FALSE(FirstFits({JobOfAnn(7, 1), bobs}));
  EXPECT_TRUE(FirstFits({JobOfAnn(7, 1)}));
}

TEST_F(LimitRoomsTest, TheNarrowestOfSeveralLevelsCounts) {
  Limit("root", LimitKind::kGrpTres, "cpu", 8);
  Limit("physics", LimitKind::kGrpTres, "cpu", 10);
  EXPECT_TRUE(FirstFits({JobOfAnn(8, 1)}));
  EXPECT_FALSE(FirstFits({JobOfAnn(9, 1)}));
}

TEST_F(LimitRoomsTest, TimeAndItsProductsAreBoundToo) {
  Limit("physics", LimitKind::kMaxWall, "", 600);
  Limit("physics", LimitKind::kMaxTresMins, "cpu", 40);
  EXPECT_TRUE(FirstFits({JobOfAnn(4, 10)}));
  EXPECT_FALSE(FirstFits({JobOfAnn(5, 10)}));
  EXPECT_FALSE(FirstFits({JobOfAnn(1, 11)}));
}

TEST_F(LimitRoomsTest, WhatAJobHasNoneOfDoesNotBindIt) {
  Limit("physics", LimitKind::kGrpTres, "gres/gpu", 0);
  EXPECT_TRUE(FirstFits({JobOfAnn(4, 10)}));
}

TEST_F(LimitRoomsTest, ALeastMustBeWanted) {
  site_.qos("normal").other_limits.push_back({LimitKind::kMinTres, "cpu", 4});
  Job job = JobOfAnn(4, 1);
  job.qos = {"normal"};
  EXPECT_TRUE(FirstFits({job}));
  job.cpus = 3;
  EXPECT_FALSE(FirstFits({job}));
}

TEST_F(LimitRoomsTest, WhereAUsersRunningJobsCountNoJobOfThatUserFitsUnseen) {
  const std::vector<Job> jobs = {JobOfAnn(1, 1), Running("2", "ann", "physics")};
  Limit("physics", LimitKind::kGrpJobs, "", 100);
  EXPECT_TRUE(FirstFits(jobs)) << "no limit of users";
  Limit("physics", LimitKind::kMaxJobs, "", 100);
  EXPECT_FALSE(FirstFits(jobs));
  EXPECT_TRUE(FirstFits({JobOfAnn(1, 1), Running("2", "bob", "physics")}));
}

}  // namespace
}  // namespace priorityd::priority
