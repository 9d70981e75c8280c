#include "engine/laboratory/simulation.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/laboratory/limited_site.h"
#include "tests/engine/laboratory/naive_play.h"
#include "tests/engine/laboratory/naive_simulation.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

PlayOptions Fifo(plan::Backfill backfill) {
  PlayOptions options;
  options.policy.priority_type = priority::PriorityType::kBasic;
  options.plan.backfill = backfill;
  options.plan.max_job_test = 1'000'000;
  options.plan.window = absl::Hours(24 * 365);
  return options;
}

// All that a policy can weigh.
PlayOptions Multifactor(std::mt19937_64& random) {
  const auto below = [&](int n) { return static_cast<uint32_t>(random() % n); };
  PlayOptions options = Fifo(below(2) == 0 ? plan::Backfill::kEasy : plan::Backfill::kConservative);
  priority::Policy& policy = options.policy;
  policy.priority_type = priority::PriorityType::kMultifactor;
  policy.half_life = absl::Minutes(10 + below(600));
  policy.calc_period = absl::Minutes(1 + below(5));
  policy.max_age = absl::Minutes(1 + below(300));
  policy.weight_age = 1000 * below(3);
  policy.weight_fair_share = 1000 * (1 + below(9));
  policy.weight_job_size = 1000 * below(3);
  policy.favor_small = below(2) == 0;
  if (below(3) == 0) policy.algorithm = priority::FairShareAlgorithm::kClassic;
  options.plan.max_job_test = below(3) == 0 ? 3 : 500;
  options.plan.max_job_user = below(3) == 0 ? 2 : 0;
  return options;
}

// Of recorded starts: each on the first nodes, shared or not.
void AssumeNodes(std::vector<HistoryJob>* jobs) {
  for (HistoryJob& job : *jobs) {
    for (uint32_t node = 0; node < job.nodes; ++node) {
      job.node_names.push_back(absl::StrCat("n", node));
    }
  }
}

TEST(PlayTest, FirstComeFirstServedStartsWhatANaiveSimulatorStarts) {
  for (int seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const int nodes = 1 + static_cast<int>(random() % 12);
    const std::vector<HistoryJob> jobs = RandomHistory(random, 150, nodes, 3);
    const Played played = Play(SmallSite(nodes, 1, 3).Build(), jobs, Fifo(plan::Backfill::kNone));
    ASSERT_EQ(Seconds(played.schedule), NaiveStarts(jobs, nodes, /*easy=*/false)) << seed;
    EXPECT_EQ(played.backfilled, 0);
  }
}

TEST(PlayTest, EasyStartsWhatANaiveSimulatorStarts) {
  int64_t backfilled = 0;
  for (int seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const int nodes = 2 + static_cast<int>(random() % 12);
    const std::vector<HistoryJob> jobs = RandomHistory(random, 150, nodes, 3);
    const Played played = Play(SmallSite(nodes, 1, 3).Build(), jobs, Fifo(plan::Backfill::kEasy));
    ASSERT_EQ(Seconds(played.schedule), NaiveStarts(jobs, nodes, /*easy=*/true)) << seed;
    backfilled += played.backfilled;
  }
  EXPECT_GT(backfilled, 500) << "else the queues were no test of it";
}

// Snapshots, rankings and answers about limits that Play keeps, and the starts that it takes from
// one plan, are what they are when each start has new ones.
TEST(PlayTest, StartsWhatAPlayStartsThatKeepsNothing) {
  int64_t plans = 0, starts = 0, never = 0, waited = 0;
  for (int seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    Site site = LimitedSite(random);
    std::vector<HistoryJob> jobs = LimitedHistory(random, 80);
    PlayOptions options = LimitedOptions(random);
    if (seed % 3 == 0) {
      for (NodeShape& shape : site.nodes) shape.tres["mem"] = 8000;
      options.policy.job_defaults.memory.per_cpu = 3000;
    }
    if (seed % 5 == 0) options.from = jobs[jobs.size() / 3].eligible;
    if (seed % 5 == 0) AssumeNodes(&jobs);
    const Played played = Play(site, jobs, options);
    const Played naive = NaivePlay(site, jobs, options);
    ASSERT_EQ(Seconds(played.schedule), Seconds(naive.schedule)) << seed;
    ASSERT_EQ(played.nodes, naive.nodes) << seed;
    EXPECT_EQ(played.never_started, naive.never_started) << seed;
    EXPECT_EQ(played.backfilled, naive.backfilled) << seed;
    plans += played.plans;
    for (size_t i = 0; i < jobs.size(); ++i) {
      const std::optional<absl::Time> start = played.schedule.starts[i];
      ++(start.has_value() ? starts : never);
      waited += start.has_value() && *start > jobs[i].eligible;
    }
  }
  EXPECT_GT(plans, 50);
  EXPECT_GT(starts, 1000);
  EXPECT_GT(waited, 500);
  EXPECT_GT(never, 100);
}

// What a policy made, replayed under that policy, is what was made: from the beginning and from
// any moment on, with what came before as it was recorded.
TEST(PlayTest, ReplayingAHistoryUnderThePolicyThatMadeItGivesItBack) {
  int replayed = 0;
  for (int seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const int nodes = 2 + static_cast<int>(random() % 8);
    const std::vector<HistoryJob> jobs = RandomHistory(random, 120, nodes, 4);
    SmallSite small(nodes, 1, 4);
    if (seed % 3 == 0) {
      // One user's jobs run one at a time, and another's account may use so much in all.
      small.associations[2].limits.others = {{priority::LimitKind::kMaxJobs, "", 1}};
      small.associations[3].limits.grp_tres_mins["cpu"] = 40;
    }
    const Site site = small.Build();
    PlayOptions options = Multifactor(random);
    const Played made = Play(site, jobs, options);
    const bool all = std::all_of(made.schedule.starts.begin(), made.schedule.starts.end(),
                                 [](const auto& start) { return start.has_value(); });
    if (!all) continue;
    ++replayed;
    std::vector<HistoryJob> history = AsRecorded(jobs, made.schedule);
    for (size_t i = 0; i < jobs.size(); ++i) {
      for (const int node : made.nodes[i]) {
        history[i].node_names.push_back(absl::StrCat("n", node));
      }
    }
    EXPECT_EQ(Play(site, history, options).schedule.starts, made.schedule.starts) << seed;
    for (const int part : {1, 2, 3}) {
      options.from = history[history.size() * part / 4].eligible + absl::Seconds(part);
      EXPECT_EQ(Play(site, history, options).schedule.starts, made.schedule.starts)
          << "seed " << seed << " from " << options.from;
    }
  }
  EXPECT_GT(replayed, 25) << "else most had a budget that kept jobs for good";
}

// A node of 2 CPUs and 8000 MB.
TEST(PlayTest, JobsThatNameNoMemoryWantTheDefaultMemory) {
  SmallSite small(1, 2, 1);
  for (NodeShape& shape : small.site.nodes) shape.tres["mem"] = 8000;
  const Site site = small.Build();
  const std::vector<HistoryJob> jobs = {JobOf("1", 0, 100), JobOf("2", 0, 100)};
  PlayOptions options = Fifo(plan::Backfill::kNone);
  const auto starts = [&] { return Seconds(Play(site, jobs, options).schedule); };
  EXPECT_THAT(starts(), ElementsAre(0, 0));
  options.policy.job_defaults.memory.per_cpu = 5000;
  EXPECT_THAT(starts(), ElementsAre(0, 100));
  options.policy.partition_rules["main"].memory = priority::DefaultMemory{.per_node = 4000};
  EXPECT_THAT(starts(), ElementsAre(0, 0));
  options.policy.job_defaults.max_memory_per_cpu = 2000;  // So each wants two CPUs.
  EXPECT_THAT(starts(), ElementsAre(0, 100));
}

TEST(PlayTest, AnotherPolicyGivesAnotherSchedule) {
  std::mt19937_64 random(7);
  const std::vector<HistoryJob> jobs = RandomHistory(random, 200, 4, 3);
  const Site site = SmallSite(4, 1, 3).Build();
  PlayOptions fair = Fifo(plan::Backfill::kEasy);
  fair.policy.priority_type = priority::PriorityType::kMultifactor;
  fair.policy.weight_fair_share = 1000;
  EXPECT_NE(Play(site, jobs, fair).schedule.starts,
            Play(site, jobs, Fifo(plan::Backfill::kEasy)).schedule.starts);
}

// Job 3 waits for a node of `big`, and so reserves it. Job 4 could use that node too: it reserves
// none. So job 5 does, and job 6 would delay it.
TEST(PlayTest, AJobBehindOneThatNeedsALicenseReservesNothing) {
  SmallSite small(2, 1, 1);
  Site& site = small.site;
  site.nodes[0].partitions.push_back("all");
  site.nodes.push_back({.names = {"b"}, .tres = {{"cpu", 1}}, .partitions = {"big", "all"}});
  site.cluster.nodes = site.cluster.cpus = 3;
  site.cluster.tres["license/x"] = 1;
  for (const auto& [name, nodes] : {std::pair("big", 1), std::pair("all", 3)}) {
    priority::Partition& partition = site.partitions.emplace_back();
    partition.name = name;
    partition.nodes = nodes;
    partition.tres["cpu"] = nodes;
  }
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 1000),  JobOf("2", 1, 100),   JobOf("3", 2, 10),
                                  JobOf("4", 3, 10, 3), JobOf("5", 4, 50, 2), JobOf("6", 5, 500)};
  for (const size_t job : {0, 2}) jobs[job].partitions = {"big"};
  jobs[2].tres["license/x"] = 1;
  jobs[3].partitions = {"all"};
  EXPECT_THAT(Seconds(Play(small.Build(), jobs, Fifo(plan::Backfill::kEasy)).schedule),
              ElementsAre(0, 1, 1000, 1010, 101, 151));
}

// u0 holds the only node for two hours. When it is free both have a job waiting, u0's the older
// one; u1 has used nothing.
TEST(PlayTest, UsageWhileAJobRunsCountsAgainstItsUser) {
  const Site site = SmallSite(1, 1, 2).Build();
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 7200), JobOf("2", 10, 60), JobOf("3", 20, 60)};
  jobs[2].user = "u1";
  PlayOptions options = Fifo(plan::Backfill::kEasy);
  EXPECT_THAT(Seconds(Play(site, jobs, options).schedule), ElementsAre(0, 7200, 7260));
  options.policy.priority_type = priority::PriorityType::kMultifactor;
  options.policy.weight_fair_share = 1000;
  EXPECT_THAT(Seconds(Play(site, jobs, options).schedule), ElementsAre(0, 7260, 7200));
}

// The same with u0's usage recorded before the play begins.
TEST(PlayTest, WhatRanBeforeFromCountsAndStaysAsItWas) {
  const Site site = SmallSite(1, 1, 2).Build();
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 3600), JobOf("2", 10, 3600), JobOf("3", 20, 60),
                                  JobOf("4", 30, 60)};
  jobs[1].start = kBegin + absl::Seconds(5000);  // Idle in between, as no policy of ours would be.
  jobs[2].start = jobs[3].start = kBegin + absl::Hours(9);
  jobs[3].user = "u1";
  PlayOptions options = Fifo(plan::Backfill::kEasy);
  options.policy.priority_type = priority::PriorityType::kMultifactor;
  options.policy.weight_fair_share = 1000;
  options.from = kBegin + absl::Seconds(6000);
  EXPECT_THAT(Seconds(Play(site, jobs, options).schedule), ElementsAre(0, 5000, 8660, 8600));
}

// With the cluster idle and everybody waiting when the play begins, the next recalculation starts
// them.
TEST(PlayTest, AQueueThatWaitsForNothingStartsWithTheNextRecalculation) {
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 60)};
  jobs[0].start = kBegin + absl::Hours(9);
  PlayOptions options = Fifo(plan::Backfill::kEasy);
  options.from = kBegin + absl::Seconds(301);
  EXPECT_THAT(Seconds(Play(SmallSite(1, 1, 1).Build(), jobs, options).schedule), ElementsAre(600));
}

// MaxJobs=1 of u0: its second job waits although nodes are free. Each start is counted before the
// next one.
TEST(PlayTest, LimitsHoldBackWhatTheyHoldBackInTheService) {
  SmallSite small(4, 1, 2);
  small.associations[2].limits.others = {{priority::LimitKind::kMaxJobs, "", 1}};
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 100), JobOf("2", 0, 50), JobOf("3", 0, 30)};
  jobs[2].user = "u1";
  EXPECT_THAT(Seconds(Play(small.Build(), jobs, Fifo(plan::Backfill::kEasy)).schedule),
              ElementsAre(0, 100, 0));
}

// GrpTRESMins=cpu=10 and a half-life of an hour: when job 1 has used 20 CPU-minutes job 2 waits
// until they have decayed below 10, an hour and some later.
TEST(PlayTest, AJobOverABudgetStartsWhenUsageHasDecayed) {
  SmallSite small(1, 1, 1);
  small.associations[1].limits.grp_tres_mins["cpu"] = 10;
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 1200), JobOf("2", 5, 60)};
  PlayOptions options = Fifo(plan::Backfill::kEasy);
  options.policy.half_life = absl::Hours(1);
  const std::vector<int64_t> starts = Seconds(Play(small.Build(), jobs, options).schedule);
  EXPECT_GE(starts[1], 1200 + 3000);
  EXPECT_LE(starts[1], 1200 + 3600 + 300);
  options.policy.half_life = absl::InfiniteDuration();
  const Played forever = Play(small.Build(), jobs, options);
  EXPECT_THAT(Seconds(forever.schedule), ElementsAre(0, -1));
  EXPECT_THAT(forever.never_started, ElementsAre(Pair("AssocGrpCPUMinutesLimit", 1)));
}

TEST(PlayTest, JobsThatCanNeverStartAreReportedWithSlurmsReason) {
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 60, 5), JobOf("2", 0, 60), JobOf("3", 0, 60),
                                  JobOf("4", 0, 60)};
  jobs[1].user = "stranger";
  jobs[2].partitions = {"nowhere"};
  const Played played = Play(SmallSite(4, 1, 1).Build(), jobs, Fifo(plan::Backfill::kEasy));
  EXPECT_THAT(Seconds(played.schedule), ElementsAre(-1, -1, -1, 0));
  EXPECT_THAT(played.never_started,
              UnorderedElementsAre(Pair("BadConstraints", 1), Pair("InvalidAccount", 1),
                                   Pair("InvalidPartition", 1)));
}

// More is recorded as running than there is.
TEST(PlayTest, ARecordThatHoldsMoreThanThereIsIsPlayed) {
  std::vector<HistoryJob> jobs = {JobOf("1", 0, 100, 2), JobOf("2", 1, 200, 2), JobOf("3", 2, 60)};
  jobs[2].start = kBegin + absl::Hours(1);
  PlayOptions options = Fifo(plan::Backfill::kEasy);
  options.from = kBegin + absl::Seconds(2);
  for (HistoryJob& job : jobs) job.node_names = {"n0", "n1"};
  EXPECT_THAT(Seconds(Play(SmallSite(2, 1, 1).Build(), jobs, options).schedule),
              ElementsAre(0, 1, 201));
}

TEST(PlayTest, ProgressIsTheNumberOfJobsThatHaveStarted) {
  // The second waits for the first, the third is too large, the last two start together.
  const std::vector<HistoryJob> jobs = {JobOf("1", 0, 60, 2), JobOf("2", 1, 60, 2),
                                        JobOf("3", 2, 60, 3), JobOf("4", 500, 60),
                                        JobOf("5", 500, 60)};
  std::vector<int64_t> progress;
  Play(SmallSite(2, 1, 1).Build(), jobs, Fifo(plan::Backfill::kEasy),
       [&](int64_t started) { progress.push_back(started); });
  EXPECT_THAT(progress, ElementsAre(1, 2, 4));
}

TEST(PlayTest, NothingTakesNothing) {
  const Played played = Play(SmallSite(1, 1, 1).Build(), {}, Fifo(plan::Backfill::kEasy));
  EXPECT_TRUE(played.schedule.starts.empty());
  EXPECT_EQ(played.rankings, 0);
}

}  // namespace
}  // namespace priorityd::laboratory
