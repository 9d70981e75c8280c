// FCFS and EASY once more, on nodes of one CPU, with nothing of the planner.
#ifndef PRIORITYD_TESTS_ENGINE_LABORATORY_NAIVE_SIMULATION_H_
#define PRIORITYD_TESTS_ENGINE_LABORATORY_NAIVE_SIMULATION_H_

#include <vector>

#include "engine/laboratory/history.h"

namespace priorityd::laboratory {

// The starts, in seconds after kBegin, if jobs start in the order of submission, then of id; with
// `easy` those start before the first that waits that do not delay it. Nodes are taken from the
// lowest number on. REQUIRES: jobs of one CPU on each of their nodes, in whole seconds, and none
// larger than the cluster.
std::vector<int64_t> NaiveStarts(const std::vector<HistoryJob>& jobs, int nodes, bool easy);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_TESTS_ENGINE_LABORATORY_NAIVE_SIMULATION_H_
