// The load of a cluster over time: CPUs in use and waiting jobs.
#ifndef PRIORITYD_ENGINE_LABORATORY_LOAD_CURVE_H_
#define PRIORITYD_ENGINE_LABORATORY_LOAD_CURVE_H_

#include <vector>

#include "absl/types/span.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/measures.h"

namespace priorityd::laboratory {

// Means over equal parts of a period, in order of time.
struct LoadCurve {
  std::vector<double> cpus;     // In use.
  std::vector<double> waiting;  // Waiting jobs.
};

// `parts`: at least 1. A job that never starts waits to the end. All means of an empty period are
// 0.
LoadCurve LoadOf(absl::Span<const HistoryJob> jobs, const Schedule& schedule, const Period& period,
                 int parts);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_LOAD_CURVE_H_
