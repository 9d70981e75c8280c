#include "engine/plan/plan.h"

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/plan/user_gate.h"

namespace priorityd::plan {
namespace {

using ::testing::ElementsAre;

const absl::Time kNow = absl::FromUnixSeconds(1'000'000'020);

absl::Time In(int minutes) { return kNow + absl::Minutes(minutes); }

RunningJob Runs(int nodes, int64_t cpus, int minutes, int type = 0) {
  return {.request = {nodes, {cpus}}, .place = {.types = {type}}, .end = In(minutes)};
}

WaitingJob Wants(int nodes, int64_t cpus, int minutes, int type = 0) {
  return {.request = {nodes, {cpus}},
          .places = {{.types = {type}}},
          .time_limit = absl::Minutes(minutes)};
}

PlanOptions With(Backfill backfill) { return {.backfill = backfill}; }

// Palmetto, "Example of Main Scheduling": four nodes, one of them free; jobs for 2, 1 and 1 nodes.
TEST(MainLoopTest, PalmettosFourNodesWithOneFreeStartNothing) {
  const Cluster cluster{.types = {{4, {1}}}};
  const auto plans =
      PlanStarts(cluster, {Runs(3, 1, 60)}, {Wants(2, 1, 60), Wants(1, 1, 60), Wants(1, 1, 60)},
                 kNow, With(Backfill::kNone));
  EXPECT_EQ(plans[0].wait, Wait::kResources);
  EXPECT_TRUE(plans[0].reserved);
  EXPECT_EQ(plans[0].start, In(60));
  EXPECT_EQ(plans[0].behind_running, 0);
  EXPECT_EQ(plans[1].wait, Wait::kPriority);
  EXPECT_EQ(plans[1].behind_waiting, 0);
  EXPECT_EQ(plans[2].wait, Wait::kPriority);
}

// slurmctld tries a job in each of its partitions but those in which a job before it waits.
TEST(MainLoopTest, AJobStartsInItsPlaceForWhichNoJobBeforeItWaits) {
  const Cluster cluster{.types = {{1, {1}}, {1, {1}}}};
  WaitingJob both = Wants(1, 1, 30);
  both.places.push_back({.types = {1}});
  const auto plans = PlanStarts(cluster, {Runs(1, 1, 60)}, {Wants(1, 1, 60), both, both}, kNow,
                                With(Backfill::kNone));
  EXPECT_TRUE(plans[0].reserved);
  EXPECT_EQ(plans[1].wait, Wait::kNone);
  EXPECT_EQ(plans[1].place, 1);
  EXPECT_EQ(plans[2].wait, Wait::kResources);
}

TEST(MainLoopTest, AJobThatWaitsInOneOfItsPlacesHoldsUpThoseBehindItThere) {
  const Cluster cluster{.types = {{2, {1}}, {2, {1}}}};
  WaitingJob both = Wants(2, 1, 30);
  both.places.push_back({.types = {1}});
  RunningJob other = Runs(1, 1, 40);
  other.place.types = {1};
  const auto plans =
      PlanStarts(cluster, {Runs(1, 1, 60), other}, {Wants(2, 1, 60), both, Wants(1, 1, 10, 1)},
                 kNow, With(Backfill::kNone));
  EXPECT_EQ(plans[0].start, In(60));
  EXPECT_EQ(plans[1].wait, Wait::kResources);
  EXPECT_TRUE(plans[1].reserved);
  EXPECT_EQ(plans[1].place, 1);
  EXPECT_EQ(plans[1].start, In(40));
  EXPECT_EQ(plans[2].wait, Wait::kPriority);
  EXPECT_EQ(plans[2].behind_waiting, 1);
}

// Palmetto, "Example of Backfill Scheduling", at 10:20: job 4 runs on node A until 11:00, job 2 on
// B until 11:30, job 3 on B until 10:45; jobs 5 to 8 wait.
struct AtTwentyPastTen {
  Cluster cluster{.types = {{2, {2}}}};
  std::vector<RunningJob> running{Runs(1, 1, 40), Runs(1, 1, 70), Runs(1, 1, 25)};
  std::vector<WaitingJob> waiting{Wants(1, 2, 90), Wants(1, 1, 75), Wants(1, 2, 60),
                                  Wants(1, 1, 30)};
  AtTwentyPastTen() {
    running[0].nodes = {0};
    running[1].nodes = running[2].nodes = {1};
  }
};

TEST(PlanStartsTest, PalmettosJob8IsBackfilledAndTheOthersArePlanned) {
  const AtTwentyPastTen at;
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    const auto plans = PlanStarts(at.cluster, at.running, at.waiting, kNow, With(backfill));
    EXPECT_EQ(plans[0].start, In(40)) << "job 5 at 11:00";
    EXPECT_THAT(plans[0].nodes, ElementsAre(0));
    EXPECT_EQ(plans[1].start, In(25)) << "job 6 at 10:45";
    EXPECT_THAT(plans[1].nodes, ElementsAre(1));
    EXPECT_EQ(plans[2].start, In(100)) << "job 7 at 12:00";
    EXPECT_EQ(plans[3].start, kNow) << "job 8";
    EXPECT_TRUE(plans[3].backfilled);
    EXPECT_THAT(plans[3].nodes, ElementsAre(0)) << "node A";
  }
}

TEST(PlanStartsTest, ResourcesOfARunningJobAreReportedAsTheCause) {
  const AtTwentyPastTen at;
  const auto plans = PlanStarts(at.cluster, at.running, at.waiting, kNow, With(Backfill::kEasy));
  EXPECT_EQ(plans[0].behind_running, 0);
  EXPECT_EQ(plans[1].wait, Wait::kPriority) << "node A has a CPU for job 6, until job 5 wants it";
  EXPECT_EQ(plans[1].behind_waiting, 0);
  EXPECT_EQ(plans[2].behind_waiting, 1) << "job 7 waits for job 6 on node B";
}

// Palmetto: "the priority of a job requesting A100 GPUs will not affect the scheduling of a job
// requesting V100 GPUs".
TEST(PlanStartsTest, AJobForOneGpuTypeDoesNotHoldUpAnothers) {
  const Cluster cluster{.types = {{1, {2}}, {1, {2}}}};  // A100, V100.
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const auto plans = PlanStarts(cluster, {Runs(1, 1, 60, 0), Runs(1, 1, 30, 1)},
                                  {Wants(1, 2, 60, 0), Wants(1, 1, 600, 1), Wants(1, 2, 60, 1)},
                                  kNow, With(backfill));
    EXPECT_EQ(plans[0].start, In(60));
    EXPECT_EQ(plans[1].wait, Wait::kNone);
    EXPECT_FALSE(plans[1].backfilled);
    EXPECT_EQ(plans[2].start, In(600)) << "V100's first job that waits has a reservation, too";
    EXPECT_TRUE(plans[2].reserved);
  }
}

// Palmetto: owner partitions "are limited on resources based on the number of nodes purchased".
TEST(PlanStartsTest, OwnersWaitForTheNodesTheyBoughtAndHoldUpNobody) {
  const Cluster cluster{.types = {{4, {1}}}, .pools = {2}};
  const auto owned = [](auto job) {
    auto& place = [&]() -> Place& {
      if constexpr (requires { job.places; })
        return job.places[0];
      else
        return job.place;
    }();
    place.pools = {{0, job.request.nodes}};
    return job;
  };
  const auto plans =
      PlanStarts(cluster, {owned(Runs(2, 1, 60))}, {owned(Wants(1, 1, 30)), Wants(2, 1, 600)}, kNow,
                 With(Backfill::kEasy));
  EXPECT_EQ(plans[0].wait, Wait::kPool);
  EXPECT_EQ(plans[0].pool, 0);
  EXPECT_EQ(plans[0].start, In(60));
  EXPECT_FALSE(plans[0].reserved);
  EXPECT_EQ(plans[1].wait, Wait::kNone);
  EXPECT_FALSE(plans[1].backfilled);
}

TEST(PlanStartsTest, AJobThatNeverFitsHoldsNobodyUp) {
  const Cluster cluster{.types = {{4, {1}}}};
  const auto plans =
      PlanStarts(cluster, {}, {Wants(5, 1, 60), Wants(1, 1, 60)}, kNow, With(Backfill::kNone));
  EXPECT_EQ(plans[0].wait, Wait::kNeverFits);
  EXPECT_FALSE(plans[0].start.has_value());
  EXPECT_EQ(plans[1].wait, Wait::kNone);
  EXPECT_FALSE(plans[1].backfilled);
}

TEST(PlanStartsTest, APlaceInWhichAJobNeverFitsReservesNothingAndHoldsNobodyUp) {
  const Cluster cluster{.types = {{4, {1}}, {2, {1}}}, .pools = {1}};
  RunningJob owner = Runs(1, 1, 60);
  owner.place.pools = {{0, 1}};
  WaitingJob both = Wants(3, 1, 30);
  both.places = {{.types = {0}, .pools = {{0, 1}}}, {.types = {1}}};
  const auto plans = PlanStarts(cluster, {owner}, {both, Wants(3, 1, 600), Wants(2, 1, 600, 1)},
                                kNow, With(Backfill::kEasy));
  EXPECT_EQ(plans[0].wait, Wait::kPool);
  EXPECT_EQ(plans[0].start, In(600));
  EXPECT_FALSE(plans[0].reserved);
  for (const int other : {1, 2}) {
    EXPECT_EQ(plans[other].start, kNow) << other;
    EXPECT_FALSE(plans[other].backfilled) << other;
  }
}

TEST(PlanStartsTest, AJobIsBackfilledIfAJobThatItOvertakesCouldUseOneOfItsNodes) {
  const Cluster cluster{.types = {{1, {1}}, {1, {1}}}};
  WaitingJob either = Wants(1, 1, 60);
  either.places.push_back({.types = {1}});
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    const auto plans =
        PlanStarts(cluster, {Runs(1, 1, 60)}, {Wants(1, 1, 60), either}, kNow, With(backfill));
    EXPECT_EQ(plans[1].start, kNow) << "in its second place";
    EXPECT_FALSE(plans[1].backfilled) << "job 0 could not use that node";
  }
}

TEST(PlanStartsTest, AJobIsBackfilledBeforeAJobWithoutAStartInTheWindow) {
  const Cluster cluster{.types = {{2, {1}}}};
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    PlanOptions options = With(backfill);
    options.window = absl::Minutes(30);
    const auto plans =
        PlanStarts(cluster, {Runs(1, 1, 60)}, {Wants(2, 1, 60), Wants(1, 1, 90)}, kNow, options);
    EXPECT_EQ(plans[0].start, std::nullopt);
    EXPECT_EQ(plans[1].start, kNow);
    EXPECT_TRUE(plans[1].backfilled);
  }
}

// sacctmgr(1), NoReserve: such jobs get no place in the map of resources through time.
TEST(PlanStartsTest, AJobThatDoesNotReserveStartsNowOrIsNotPlannedAndHoldsNobodyUp) {
  const Cluster cluster{.types = {{4, {1}}}};
  std::vector<WaitingJob> waiting = {Wants(2, 1, 60), Wants(1, 1, 90)};
  waiting[0].reserves = false;
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const auto plans = PlanStarts(cluster, {Runs(3, 1, 60)}, waiting, kNow, With(backfill));
    EXPECT_EQ(plans[0].wait, Wait::kResources);
    EXPECT_FALSE(plans[0].start.has_value());
    EXPECT_FALSE(plans[0].reserved);
    EXPECT_EQ(plans[1].start, kNow);
    const auto free = PlanStarts(cluster, {}, waiting, kNow, With(backfill));
    EXPECT_EQ(free[0].start, kNow);
  }
}

TEST(PlanStartsTest, CapsCountFromTheFirstJobThatWaits) {
  const Cluster cluster{.types = {{9, {1}}}};
  // Two jobs of user 7 start in order, the third waits for all nodes.
  std::vector<WaitingJob> waiting = {Wants(1, 1, 60), Wants(1, 1, 60), Wants(9, 1, 60),
                                     Wants(1, 1, 30), Wants(1, 1, 30), Wants(1, 1, 30),
                                     Wants(1, 1, 30)};
  for (const size_t job : {0, 1, 2, 3, 4}) waiting[job].user = 7;
  PlanOptions options;
  options.max_job_user = 2;
  options.max_job_test = 3;
  std::vector<Wait> waits;
  for (const JobPlan& plan : PlanStarts(cluster, {}, waiting, kNow, options)) {
    waits.push_back(plan.wait);
  }
  EXPECT_THAT(waits, ElementsAre(Wait::kNone, Wait::kNone, Wait::kResources, Wait::kNone,
                                 Wait::kNotLookedAt, Wait::kNone, Wait::kNotLookedAt));
}

TEST(PlanStartsTest, AJobThatTheGateHoldsDelaysNobodyAndCountsForNoCap) {
  const Cluster cluster{.types = {{3, {1}}}};
  std::vector<WaitingJob> waiting = {Wants(1, 1, 60), Wants(3, 1, 60), Wants(1, 1, 60),
                                     Wants(1, 1, 60), Wants(1, 1, 60)};
  waiting[3].user = waiting[4].user = 7;
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    PlanOptions options = With(backfill);
    options.max_job_test = 1;
    UserGate gate(waiting, 1);
    const auto plans = PlanStarts(cluster, {}, waiting, kNow, options, &gate);
    EXPECT_EQ(plans[0].start, kNow);
    EXPECT_EQ(plans[1].wait, Wait::kGate) << "and not the first that waits for nodes";
    EXPECT_EQ(plans[1].start, std::nullopt);
    EXPECT_FALSE(plans[1].reserved);
    EXPECT_EQ(plans[2].wait, Wait::kGate);
    EXPECT_EQ(plans[3].start, kNow);
    EXPECT_FALSE(plans[3].backfilled);
    EXPECT_EQ(plans[4].wait, Wait::kGate);
  }
}

TEST(PlanStartsTest, NoStartIsPlannedBehindARunningJobWithoutEnd) {
  const Cluster cluster{.types = {{4, {1}}}};
  RunningJob endless = Runs(3, 1, 0);
  endless.end = absl::InfiniteFuture();
  PlanOptions options;
  options.window = absl::InfiniteDuration();
  const auto plans =
      PlanStarts(cluster, {endless}, {Wants(2, 1, 60), Wants(1, 1, 60)}, kNow, options);
  EXPECT_EQ(plans[0].wait, Wait::kResources);
  EXPECT_FALSE(plans[0].start.has_value());
  EXPECT_EQ(plans[1].wait, Wait::kNone);
}

TEST(PlanStartsTest, AClosureKeepsItsAmountsFromEverybody) {
  Cluster cluster{.types = {{1, {2}}, {1, {2}}}};
  cluster.closures = {{.type = 0, .each = {1}, .from = In(30), .until = In(60)}};
  const auto plans =
      PlanStarts(cluster, {}, {Wants(1, 2, 60, 0), Wants(1, 1, 60, 0), Wants(1, 2, 60, 1)}, kNow,
                 With(Backfill::kConservative));
  EXPECT_EQ(plans[0].start, In(60));
  EXPECT_EQ(plans[1].start, kNow);
  EXPECT_EQ(plans[2].start, kNow);
}

TEST(PlanStartsTest, AJobWaitsForAClosureWhereNoJobBeforeItWaits) {
  Cluster cluster{.types = {{1, {1}}, {1, {1}}}};
  cluster.closures = {{.type = 1, .each = {1}, .from = In(30), .until = In(50)}};
  WaitingJob either = Wants(1, 1, 45);
  either.places.push_back({.types = {1}});
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    const auto plans =
        PlanStarts(cluster, {Runs(1, 1, 60)}, {Wants(1, 1, 60), either}, kNow, With(backfill));
    EXPECT_EQ(plans[1].wait, Wait::kResources) << "job 0 cannot use the free node";
    EXPECT_EQ(plans[1].behind_waiting, -1);
    EXPECT_EQ(plans[1].start, In(50));
  }
}

TEST(PlanStartsTest, AJobStartsWhileItsPlaceIsOpenAndEndsWhenThatCloses) {
  const Cluster cluster{.types = {{1, {1}}}};
  std::vector<WaitingJob> waiting = {Wants(1, 1, 60), Wants(1, 1, 60), Wants(1, 1, 60)};
  for (WaitingJob& job : waiting) job.places[0].opens = In(10), job.places[0].closes = In(100);
  waiting.push_back(Wants(1, 1, 60));
  const auto plans = PlanStarts(cluster, {}, waiting, kNow, With(Backfill::kConservative));
  EXPECT_EQ(plans[0].start, In(10));
  EXPECT_EQ(plans[1].start, In(70));
  EXPECT_EQ(plans[2].start, std::nullopt);
  EXPECT_EQ(plans[3].start, In(100));
}

}  // namespace
}  // namespace priorityd::plan
