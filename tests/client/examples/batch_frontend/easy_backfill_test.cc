#include "client/examples/batch_frontend/easy_backfill.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/client/examples/batch_frontend/palmetto_jobs.h"

namespace priorityd::batch_frontend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);

WaitingJob Nodes(int nodes, absl::Duration limit = absl::Hours(1)) {
  return {.request = {.nodes = nodes, .cpus_per_node = 1}, .time_limit = limit};
}

// Four nodes of one CPU, the first three in use for another hour.
ClusterMoment FourNodesOneFree() {
  return {.now = kNow,
          .free = {0, 0, 0, 1},
          .running = {{{.nodes = {0, 1, 2}, .cpus_per_node = 1}, kNow + absl::Hours(1)}}};
}

TEST(MainLoopTest, PalmettosFourNodesWithOneFreeStartNothing) {
  const Schedule schedule =
      PlanEasyBackfill(FourNodesOneFree(), {Nodes(2), Nodes(1), Nodes(1)}, /*backfill=*/false);
  EXPECT_TRUE(schedule.starts.empty());
  ASSERT_TRUE(schedule.reservation.has_value());
  EXPECT_EQ(schedule.reservation->job, 0);
  EXPECT_EQ(schedule.reservation->shadow_time, kNow + absl::Hours(1));
}

TEST(BackfillTest, TheFreeNodeGoesToWhatEndsByTheShadowTime) {
  const Schedule schedule = PlanEasyBackfill(
      FourNodesOneFree(), {Nodes(4), Nodes(1, absl::Minutes(60)), Nodes(1)}, /*backfill=*/true);
  ASSERT_EQ(schedule.starts.size(), 1);
  EXPECT_EQ(schedule.starts[0].job, 1);
  EXPECT_TRUE(schedule.starts[0].backfilled);
  EXPECT_EQ(schedule.starts[0].allocation.nodes, (std::vector<int>{3}));
}

TEST(BackfillTest, WhatIsNotReservedIsFreeForLongJobs) {
  // At the shadow time all four nodes are free, of which the reservation takes two.
  const Schedule schedule =
      PlanEasyBackfill(FourNodesOneFree(), {Nodes(2), Nodes(1, absl::Hours(9))}, true);
  ASSERT_EQ(schedule.starts.size(), 1);
  EXPECT_EQ(schedule.starts[0].job, 1);
}

TEST(BackfillTest, ALongJobDoesNotTakeWhatIsReserved) {
  const Schedule schedule =
      PlanEasyBackfill(FourNodesOneFree(), {Nodes(4), Nodes(1, absl::Minutes(61))}, true);
  EXPECT_TRUE(schedule.starts.empty());
}

TEST(MainLoopTest, AJobThatNeverFitsHoldsNobodyUp) {
  const Schedule schedule = PlanEasyBackfill(FourNodesOneFree(), {Nodes(5), Nodes(1)}, false);
  ASSERT_EQ(schedule.starts.size(), 1);
  EXPECT_EQ(schedule.starts[0].job, 1);
  EXPECT_FALSE(schedule.starts[0].backfilled);
  EXPECT_FALSE(schedule.reservation.has_value());
}

TEST(MainLoopTest, AJobBehindARunningOneWithoutLimitWaitsForEver) {
  ClusterMoment moment = FourNodesOneFree();
  moment.running[0].latest_end = absl::InfiniteFuture();
  const Schedule schedule =
      PlanEasyBackfill(moment, {Nodes(2), Nodes(1, absl::InfiniteDuration())}, true);
  ASSERT_TRUE(schedule.reservation.has_value());
  EXPECT_EQ(schedule.reservation->shadow_time, absl::InfiniteFuture());
  EXPECT_EQ(schedule.starts.size(), 1);
}

// A job that was started.
struct StartedJob {
  Allocation allocation;
  absl::Time end;
};

// Palmetto's eight jobs, ranked by submission, minute by minute.
TEST(BackfillTest, PalmettosEightJobsStartAsItsPageShows) {
  const std::vector<Job> jobs = palmetto::EightJobs();
  const auto wanted = palmetto::EightStarts();
  std::map<size_t, StartedJob> runs;
  for (absl::Time now = palmetto::At(9, 0); now <= palmetto::At(13, 0); now += absl::Minutes(1)) {
    ClusterMoment moment{.now = now, .free = {2, 2}};
    for (const auto& [job, run] : runs) {
      if (run.end <= now) continue;
      Take(run.allocation, &moment.free);
      moment.running.push_back({run.allocation, run.end});
    }
    std::vector<size_t> ranked;
    std::vector<WaitingJob> waiting;
    for (size_t job = 0; job < jobs.size(); ++job) {
      if (jobs[job].submit_time > now || runs.count(job) > 0) continue;
      ranked.push_back(job);
      waiting.push_back({jobs[job].request, jobs[job].time_limit});
    }
    for (const JobStart& start : PlanEasyBackfill(moment, waiting, true).starts) {
      const size_t job = ranked[start.job];
      runs[job] = {start.allocation, now + jobs[job].run_time};
      SCOPED_TRACE(absl::StrCat("job ", jobs[job].id));
      EXPECT_EQ(now, wanted.at(jobs[job].id).time);
      EXPECT_EQ(start.allocation.nodes, (std::vector<int>{wanted.at(jobs[job].id).node}));
      EXPECT_EQ(start.backfilled, wanted.at(jobs[job].id).backfilled);
    }
  }
  EXPECT_EQ(runs.size(), jobs.size());
}

// The naive check: free CPUs of a node, counted from all that runs at a time.
int FreeAt(absl::Time time, int node, int cpus, const std::vector<RunningJob>& running) {
  for (const RunningJob& job : running) {
    const auto& nodes = job.allocation.nodes;
    const bool holds = std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    if (holds && job.latest_end > time) cpus -= job.allocation.cpus_per_node;
  }
  return cpus;
}

bool FitsAt(absl::Time time, const NodeRequest& request, int nodes, int cpus,
            const std::vector<RunningJob>& running) {
  int enough = 0;
  for (int node = 0; node < nodes; ++node) {
    if (FreeAt(time, node, cpus, running) >= request.cpus_per_node) ++enough;
  }
  return enough >= request.nodes;
}

absl::Time NaiveEarliest(absl::Time now, const NodeRequest& request, int nodes, int cpus,
                         const std::vector<RunningJob>& running) {
  std::set<absl::Time> times = {now};
  for (const RunningJob& job : running) times.insert(job.latest_end);
  for (const absl::Time time : times) {
    if (FitsAt(time, request, nodes, cpus, running)) return time;
  }
  return absl::InfiniteFuture();
}

// A cluster of random size with random jobs running and waiting.
class RandomCluster {
 public:
  explicit RandomCluster(unsigned seed) : random_(seed), nodes(Pick(1, 8)), cpus(Pick(1, 4)) {
    moment.now = kNow;
    moment.free.assign(nodes, cpus);
    for (int i = Pick(0, 12); i > 0; --i) {
      if (auto allocation = FirstFit(moment.free, RandomRequest())) {
        Take(*allocation, &moment.free);
        moment.running.push_back({*allocation, kNow + absl::Minutes(Pick(1, 90))});
      }
    }
    for (int i = Pick(0, 20); i > 0; --i) {
      ranked.push_back({RandomRequest(), absl::Minutes(Pick(1, 120))});
    }
  }

 private:
  int Pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  NodeRequest RandomRequest() {
    return {.nodes = Pick(1, std::max(1, nodes * 3 / 4)), .cpus_per_node = Pick(1, cpus)};
  }

  std::mt19937 random_;

 public:
  const int nodes;
  const int cpus;
  ClusterMoment moment;
  std::vector<WaitingJob> ranked;
};

// What runs once `starts` have started.
std::vector<RunningJob> RunningAfter(const RandomCluster& cluster,
                                     const std::vector<JobStart>& starts, bool with_backfilled) {
  std::vector<RunningJob> running = cluster.moment.running;
  for (const JobStart& start : starts) {
    if (start.backfilled && !with_backfilled) continue;
    running.push_back({start.allocation, kNow + cluster.ranked[start.job].time_limit});
  }
  return running;
}

TEST(BackfillPropertyTest, BackfilledJobsNeverDelayTheReservation) {
  int backfilled = 0, reserved = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCluster cluster(seed);
    const Schedule schedule = PlanEasyBackfill(cluster.moment, cluster.ranked, true);
    if (!schedule.reservation.has_value()) continue;
    ++reserved;
    backfilled += std::count_if(schedule.starts.begin(), schedule.starts.end(),
                                [](const JobStart& start) { return start.backfilled; });
    const NodeRequest& first = cluster.ranked[schedule.reservation->job].request;
    const absl::Time before = NaiveEarliest(kNow, first, cluster.nodes, cluster.cpus,
                                            RunningAfter(cluster, schedule.starts, false));
    const absl::Time after = NaiveEarliest(kNow, first, cluster.nodes, cluster.cpus,
                                           RunningAfter(cluster, schedule.starts, true));
    ASSERT_EQ(schedule.reservation->shadow_time, before);
    ASSERT_EQ(after, before);
  }
  EXPECT_GT(reserved, 1000);
  EXPECT_GT(backfilled, 1000);
}

TEST(BackfillPropertyTest, NoNodeIsEverOversubscribed) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCluster cluster(seed);
    const Schedule schedule = PlanEasyBackfill(cluster.moment, cluster.ranked, true);
    const auto running = RunningAfter(cluster, schedule.starts, true);
    for (int node = 0; node < cluster.nodes; ++node) {
      ASSERT_GE(FreeAt(kNow, node, cluster.cpus, running), 0);
    }
    for (const JobStart& start : schedule.starts) {
      const NodeRequest& request = cluster.ranked[start.job].request;
      const std::set<int> nodes(start.allocation.nodes.begin(), start.allocation.nodes.end());
      ASSERT_EQ(nodes.size(), request.nodes);
      ASSERT_EQ(start.allocation.cpus_per_node, request.cpus_per_node);
    }
  }
}

TEST(BackfillPropertyTest, NothingIsLeftThatCouldStartAndEndInTime) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCluster cluster(seed);
    const Schedule schedule = PlanEasyBackfill(cluster.moment, cluster.ranked, true);
    std::set<size_t> started;
    for (const JobStart& start : schedule.starts) started.insert(start.job);
    const auto running = RunningAfter(cluster, schedule.starts, true);
    for (size_t job = 0; job < cluster.ranked.size(); ++job) {
      if (started.count(job) > 0) continue;
      const WaitingJob& waiting = cluster.ranked[job];
      const bool in_time = !schedule.reservation.has_value() ||
                           kNow + waiting.time_limit <= schedule.reservation->shadow_time;
      ASSERT_FALSE(in_time && FitsAt(kNow, waiting.request, cluster.nodes, cluster.cpus, running));
    }
  }
}

TEST(BackfillPropertyTest, TheMainLoopStartsJobsInRankOrderUpToTheReservation) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCluster cluster(seed);
    const Schedule schedule = PlanEasyBackfill(cluster.moment, cluster.ranked, true);
    for (size_t i = 0; i < schedule.starts.size(); ++i) {
      const JobStart& start = schedule.starts[i];
      if (i > 0) {
        ASSERT_GT(start.job, schedule.starts[i - 1].job);
      }
      const bool overtakes =
          schedule.reservation.has_value() && start.job > schedule.reservation->job;
      ASSERT_EQ(start.backfilled, overtakes);
    }
  }
}

}  // namespace
}  // namespace priorityd::batch_frontend
