#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "engine/plan/plan.h"
#include "gtest/gtest.h"
#include "tests/engine/plan/naive_plan.h"
#include "tests/engine/plan/random_cluster.h"
#include "tests/engine/plan/user_gate.h"

namespace priorityd::plan {
namespace {

std::string ToString(const JobPlan& plan) {
  return absl::StrCat(
      plan.start ? absl::FormatTime(*plan.start, absl::UTCTimeZone()) : "-", " wait ",
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
