#include "engine/plan/plan.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/plan/naive_plan.h"
#include "tests/engine/plan/random_cluster.h"

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

// At most so many jobs of a user start now, one fewer of them in places after the first.
class UserGate : public StartGate {
 public:
  UserGate(const std::vector<WaitingJob>& waiting, int most) : waiting_(waiting), most_(most) {}

  bool MayStart(size_t job, size_t place) override {
    return started_[waiting_[job].user] + (place > 0) < most_;
  }
  void Start(size_t job, size_t place) override {
    EXPECT_TRUE(MayStart(job, place));
    ++started_[waiting_[job].user];
  }

 private:
  const std::vector<WaitingJob>& waiting_;
  const int most_;
  std::map<int, int> started_;
};

std::string ToString(const JobPlan& plan) {
  return absl::StrCat(
      plan.start ? absl::StrCat((*plan.start - kNow) / absl::Minutes(1)) : "-", " wait ",
      static_cast<int>(plan.wait), plan.reserved ? " reserved" : "",
      plan.backfilled ? " backfilled" : "", " place ", plan.place, " pool ", plan.pool, " nodes ",
      absl::StrJoin(plan.nodes, ","),
      plan.wait == Wait::kPriority ? absl::StrCat(" behind ", plan.behind_waiting) : "");
}

std::string ToString(const std::vector<JobPlan>& plans) {
  return absl::StrJoin(plans, "\n", [](std::string* out, const JobPlan& plan) {
    absl::StrAppend(out, ToString(plan));
  });
}

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

TEST(PlanPropertyTest, ANaivePlannerMinuteByMinuteSaysTheSame) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    RandomCluster random(seed, /*consistent=*/false);
    if (seed % 2 == 1) random.DrawOwnRequests();
    ASSERT_EQ(ToString(PlanStarts(random.cluster, random.running, random.waiting, random.now,
                                  random.options)),
              ToString(NaivePlan(random.cluster, random.running, random.waiting, random.now,
                                 random.options)))
        << "seed " << seed;
  }
}

TEST(PlanPropertyTest, ANaivePlannerSaysTheSameBehindAGate) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const RandomCluster random(seed, /*consistent=*/false);
    const int most = 1 + static_cast<int>(seed % 3);
    UserGate gate(random.waiting, most), naive_gate(random.waiting, most);
    ASSERT_EQ(ToString(PlanStarts(random.cluster, random.running, random.waiting, random.now,
                                  random.options, &gate)),
              ToString(NaivePlan(random.cluster, random.running, random.waiting, random.now,
                                 random.options, &naive_gate)))
        << "seed " << seed;
  }
}

// With those behind it and without.
TEST(PlanPropertyTest, EasyNeverDelaysTheFirstReservation) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    RandomCluster random(seed, true);
    random.options = {.backfill = Backfill::kEasy, .window = absl::InfiniteDuration()};
    const auto plans =
        PlanStarts(random.cluster, random.running, random.waiting, random.now, random.options);
    for (size_t job = 0; job < plans.size(); ++job) {
      if (!plans[job].reserved) continue;
      const std::vector<WaitingJob> first(random.waiting.begin(), random.waiting.begin() + job + 1);
      const auto alone =
          PlanStarts(random.cluster, random.running, first, random.now, random.options);
      ASSERT_EQ(plans[job].start, alone[job].start) << "seed " << seed << " job " << job;
      break;
    }
  }
}

TEST(PlanPropertyTest, ConservativeDelaysNobody) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    RandomCluster random(seed, true);
    random.options = {.backfill = Backfill::kConservative, .window = absl::InfiniteDuration()};
    const auto plans =
        PlanStarts(random.cluster, random.running, random.waiting, random.now, random.options);
    for (size_t jobs = 1; jobs < plans.size(); ++jobs) {
      const std::vector<WaitingJob> first(random.waiting.begin(), random.waiting.begin() + jobs);
      const auto without =
          PlanStarts(random.cluster, random.running, first, random.now, random.options);
      for (size_t job = 0; job < jobs; ++job) {
        ASSERT_EQ(plans[job].start, without[job].start) << "seed " << seed << " job " << job;
      }
    }
  }
}

// What holds a node, from when until when.
struct Hold {
  absl::Time from, until;
  Amounts amounts;
};

bool IsOverfull(const std::vector<Hold>& holds, const Amounts& size) {
  for (const Hold& at : holds) {
    Amounts sum(size.size(), 0);
    for (const Hold& hold : holds) {
      if (hold.from <= at.from && at.from < hold.until) Add(hold.amounts, &sum);
    }
    if (!Fits(sum, size)) return true;
  }
  return false;
}

TEST(PlanPropertyTest, NoNodeIsGivenTwice) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const RandomCluster random(seed, /*consistent=*/true);
    const auto plans =
        PlanStarts(random.cluster, random.running, random.waiting, random.now, random.options);
    std::vector<Amounts> sizes;
    for (const NodeType& type : random.cluster.types)
      sizes.insert(sizes.end(), type.nodes, type.each);
    std::vector<std::vector<Hold>> holds(sizes.size());
    for (const RunningJob& job : random.running) {
      const absl::Time end = std::max(job.end, random.now + absl::Minutes(1));
      for (const int node : job.nodes)
        holds[node].push_back({random.now, end, job.request.per_node});
    }
    for (size_t job = 0; job < plans.size(); ++job) {
      const WaitingJob& waits = random.waiting[job];
      ASSERT_EQ(plans[job].nodes.size(), plans[job].start ? waits.request.nodes : 0);
      for (const int node : plans[job].nodes) {
        const absl::Time closes = waits.places[plans[job].place].closes;
        holds[node].push_back({*plans[job].start,
                               std::min(*plans[job].start + waits.time_limit, closes),
                               waits.request.per_node});
      }
    }
    for (size_t node = 0; node < sizes.size(); ++node) {
      ASSERT_FALSE(IsOverfull(holds[node], sizes[node])) << "seed " << seed << " node " << node;
    }
  }
}

// What is not foretold is nobody's start now and nobody's reservation.
TEST(PlanPropertyTest, WithoutForetellingTheSameStartAndGetReservations) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    RandomCluster random(seed, seed % 2 == 0);
    const auto told =
        PlanStarts(random.cluster, random.running, random.waiting, random.now, random.options);
    random.options.estimate_starts = false;
    const auto plans =
        PlanStarts(random.cluster, random.running, random.waiting, random.now, random.options);
    for (size_t job = 0; job < plans.size(); ++job) {
      ASSERT_EQ(plans[job].wait, told[job].wait) << "seed " << seed << " job " << job;
      ASSERT_EQ(plans[job].reserved, told[job].reserved) << "seed " << seed << " job " << job;
      const bool is_kept = told[job].reserved || told[job].wait == Wait::kNone;
      ASSERT_EQ(plans[job].nodes, is_kept ? told[job].nodes : std::vector<int>())
          << "seed " << seed << " job " << job;
    }
  }
}

}  // namespace
}  // namespace priorityd::plan
