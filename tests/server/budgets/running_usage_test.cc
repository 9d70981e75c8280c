#include "server/budgets/running_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/engine/priority/small_site.h"
#include "tests/server/budgets/running_jobs.h"

namespace priorityd::budgets {
namespace {

using priority::Association;
using priority::kNow;

struct Running {
  const char* id;
  const char* user;
  const char* account;
  const char* qos;
  double cpu, mem, node, billing, gpu;
  int seconds;  // Of time limit.
  int charged;  // Seconds until the priority pass.
};

// What ran on a real cluster (tests/oracle/limits/budgets_running_t1.txt): QOS double has
// UsageFactor 2, zero 0.
constexpr Running kRunning[] = {
    {"1", "ann", "a", "normal", 8, 4000, 1, 24, 2, 7200, 6},
    {"2", "ann", "a", "double", 1, 100, 1, 1, 0, 1800, 6},
    {"3", "bob", "a", "normal", 16, 16000, 2, 35, 2, 36000, 6},
    {"4", "cat", "b", "normal", 4, 100, 1, 4, 0, 1800, 6},
    {"5", "cat", "b", "normal", 4, 100, 1, 4, 0, 31536000, 6},
    {"6", "ann", "b", "zero", 2, 100, 1, 2, 0, 2700, 6},
    {"7", "dan", "c", "normal", 40, 100, 1, 40, 0, 6000, 6},
    {"8", "cat", "b", "nodecay", 2, 100, 1, 2, 0, 86400, 6},
    {"9", "ann", "a", "normal", 60, 100, 1, 60, 0, 36000, 5},
};

class RunningUsageTest : public testing::Test {
 protected:
  RunningUsageTest() {
    const auto add = [this](int64_t id, int64_t parent, const char* account, const char* user) {
      Association& association = site_.associations.emplace_back();
      association.id = id;
      association.parent_id = parent;
      association.account = account;
      association.user = user;
    };
    site_.associations.clear();
    add(1, 0, "root", "");
    add(2, 1, "c", "");
    add(3, 2, "c", "dan");
    add(4, 1, "dept", "");
    add(5, 4, "a", "");
    add(6, 5, "a", "ann");
    add(7, 5, "a", "bob");
    add(8, 4, "b", "");
    add(9, 8, "b", "ann");
    add(10, 8, "b", "cat");
    site_.source.qos = {{.name = "normal"},
                        {.name = "double", .usage_factor = 2},
                        {.name = "zero", .usage_factor = 0},
                        {.name = "nodecay", .no_decay = true}};
    for (const Running& running : kRunning) {
      site_.source.recorded_until[running.id] = kNow;
    }
  }

  RunningUsage Sum() {
    snapshot_ = site_.Build();
    std::vector<queue::TrackedJob> jobs;
    for (const Running& running : kRunning) jobs.push_back(JobOf(running));
    queue::TrackedJob& waiting = jobs.emplace_back(JobOf(kRunning[0]));
    waiting.job.job_id = "10";
    waiting.job.state = priority::JobState::kPending;
    waiting.job.start_time.reset();
    return RunningUsage(QueueOf(snapshot_, jobs));
  }

  static queue::TrackedJob JobOf(const Running& running) {
    queue::TrackedJob tracked;
    priority::Job& job = tracked.job;
    job.job_id = running.id;
    job.user = running.user;
    job.account = running.account;
    job.qos = {running.qos};
    job.state = priority::JobState::kRunning;
    job.cpus = running.cpu;
    job.nodes = static_cast<uint32_t>(running.node);
    job.tres = {{"cpu", running.cpu},
                {"mem", running.mem},
                {"node", running.node},
                {"billing", running.billing},
                {"gres/gpu", running.gpu}};
    job.submit_time = kNow - absl::Minutes(1);
    job.start_time = kNow - absl::Seconds(running.charged);
    job.time_limit = absl::Seconds(running.seconds);
    return tracked;
  }

  // Whole minutes, as sshare prints them.
  std::map<std::string, int64_t> MinutesOf(const RunningUsage& usage, const char* account,
                                           const char* user = "") {
    const priority::AssociationTree& tree = snapshot_->tree();
    const priority::AssociationIndex i =
        *user == 0 ? tree.FindAccount(account) : tree.FindUser(account, user, "");
    std::map<std::string, int64_t> minutes;
    for (const auto& [tres, seconds] : usage.OfAssociation(*snapshot_, i).run_seconds) {
      if (seconds > 0) minutes[tres] = static_cast<int64_t>(std::floor(seconds / 60 + 1e-9));
    }
    return minutes;
  }

  void ExpectThoseOfSshare(const RunningUsage& usage) {
    using Minutes = std::map<std::string, int64_t>;
    EXPECT_EQ(MinutesOf(usage, "root"), (Minutes{{"cpu", 2156007},
                                                 {"mem", 62860931},
                                                 {"node", 529149},
                                                 {"billing", 2169323},
                                                 {"gres/gpu", 1439}}));
    EXPECT_EQ(MinutesOf(usage, "c", "dan"),
              (Minutes{{"cpu", 3996}, {"mem", 9990}, {"node", 99}, {"billing", 3996}}));
    EXPECT_EQ(MinutesOf(usage, "a"), (Minutes{{"cpu", 46612},
                                              {"mem", 10143971},
                                              {"node", 1979},
                                              {"billing", 59928},
                                              {"gres/gpu", 1439}}));
    EXPECT_EQ(MinutesOf(usage, "a", "ann"), (Minutes{{"cpu", 37014},
                                                     {"mem", 545571},
                                                     {"node", 779},
                                                     {"billing", 38932},
                                                     {"gres/gpu", 239}}));
    EXPECT_EQ(MinutesOf(usage, "b", "ann"), Minutes());
    EXPECT_EQ(
        MinutesOf(usage, "b"),
        (Minutes{{"cpu", 2105399}, {"mem", 52706970}, {"node", 527069}, {"billing", 2105399}}));
  }

  priority::SmallSite site_;
  std::shared_ptr<const priority::Snapshot> snapshot_;
};

TEST_F(RunningUsageTest, IsThatOfSshare) {
  site_.association("dept").limits.grp_tres_mins = {{"cpu", 100000}};
  const RunningUsage usage = Sum();
  ExpectThoseOfSshare(usage);
  EXPECT_EQ(usage.OfAssociation(*snapshot_, 0).running, 9);
  const int qos = snapshot_->FindQos("double");
  EXPECT_EQ(usage.OfQos(*snapshot_, qos).run_seconds.at("cpu"), 2 * (1800 - 6));
  EXPECT_EQ(usage.OfQos(*snapshot_, snapshot_->FindQos("normal")).submitted, 7);
}

// As the limits of a partition's QOS count them.
TEST_F(RunningUsageTest, TheQosOfAPartitionHasItsJobsToo) {
  site_.partition("main").qos = "double";
  const RunningUsage usage = Sum();
  const JobSums& of_partition = usage.OfQos(*snapshot_, snapshot_->FindQos("double"));
  EXPECT_EQ(of_partition.running, 9);
  EXPECT_EQ(of_partition.submitted, 10);
  EXPECT_EQ(of_partition.tres.at("cpu"), 137);
  EXPECT_EQ(of_partition.run_seconds.at("cpu"),
            usage.OfAssociation(*snapshot_, 0).run_seconds.at("cpu"));
  EXPECT_EQ(usage.OfQos(*snapshot_, snapshot_->FindQos("normal")).submitted, 7);
}

// Where nothing limits usage no snapshot knows what was recorded of jobs: the moment of the
// snapshot is Slurm's priority pass.
TEST_F(RunningUsageTest, WithoutBudgetsItIsAsOfTheSnapshot) {
  site_.source.recorded_until.clear();
  ExpectThoseOfSshare(Sum());
}

// Of a job of which nothing is recorded all of its time limit is left.
TEST_F(RunningUsageTest, WhatIsNotRecordedIsNotGone) {
  site_.association("dept").limits.grp_tres_mins = {{"cpu", 100000}};
  site_.source.recorded_until.clear();
  EXPECT_EQ(MinutesOf(Sum(), "c", "dan").at("cpu"), 4000);
}

// Slurm: 4294967295 minutes.
TEST_F(RunningUsageTest, AJobHasItsPartitionsTimeWhereItNamesNone) {
  snapshot_ = site_.Build();
  priority::Job job = JobOf(kRunning[0]).job;
  job.time_limit.reset();
  EXPECT_EQ(TimeLimitOf(*snapshot_, job, 5, 0, 0), absl::InfiniteDuration());
  site_.partition("main").default_time = absl::Minutes(30);
  site_.association("a", "ann").limits.others = {
      {.kind = priority::LimitKind::kMaxWall, .value = 600}};
  snapshot_ = site_.Build();
  const priority::AssociationIndex ann = snapshot_->tree().FindUser("a", "ann", "");
  EXPECT_EQ(TimeLimitOf(*snapshot_, job, 0, 0, 0), absl::Minutes(30));
  EXPECT_EQ(TimeLimitOf(*snapshot_, job, ann, 0, 0), absl::Minutes(10));
}

}  // namespace
}  // namespace priorityd::budgets
