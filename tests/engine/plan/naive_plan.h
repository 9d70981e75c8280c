// The planner once more, minute by minute on a grid.
#ifndef PRIORITYD_TESTS_ENGINE_PLAN_NAIVE_PLAN_H_
#define PRIORITYD_TESTS_ENGINE_PLAN_NAIVE_PLAN_H_

#include <vector>

#include "absl/time/time.h"
#include "engine/plan/cluster.h"
#include "engine/plan/plan.h"

namespace priorityd::plan {

// What PlanStarts says, but for behind_running and the behind_waiting of kResources. REQUIRES: all
// times are whole minutes from `now`, and nothing is planned behind the 200th.
std::vector<JobPlan> NaivePlan(const Cluster& cluster, const std::vector<RunningJob>& running,
                               const std::vector<WaitingJob>& waiting, absl::Time now,
                               const PlanOptions& options, StartGate* gate = nullptr);

}  // namespace priorityd::plan

#endif  // PRIORITYD_TESTS_ENGINE_PLAN_NAIVE_PLAN_H_
