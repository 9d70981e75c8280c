// The choice of victims once more, trying all.
#ifndef PRIORITYD_TESTS_ENGINE_PLAN_NAIVE_VICTIMS_H_
#define PRIORITYD_TESTS_ENGINE_PLAN_NAIVE_VICTIMS_H_

#include <optional>
#include <vector>

#include "engine/plan/cluster.h"
#include "engine/plan/preemption.h"

namespace priorityd::plan {

// What ChooseVictims says. REQUIRES: fewer than 20 candidates.
std::optional<Victims> NaiveVictims(const Cluster& cluster, const std::vector<RunningJob>& running,
                                    const WaitingJob& job, const std::vector<int>& candidates);

}  // namespace priorityd::plan

#endif  // PRIORITYD_TESTS_ENGINE_PLAN_NAIVE_VICTIMS_H_
