// How full a cluster was, and how many waited, over time.
#ifndef PRIORITYD_SERVER_LABORATORY_LOAD_CURVE_H_
#define PRIORITYD_SERVER_LABORATORY_LOAD_CURVE_H_

#include <vector>

#include "absl/types/span.h"
#include "server/laboratory/history.h"
#include "server/laboratory/measures.h"

namespace priorityd::laboratory {

// Means over equal parts of a period.
struct LoadCurve {
  std::vector<double> cpus;     // In use.
  std::vector<double> waiting;  // Jobs.
};

// `parts` at least 1. A job that never starts waits to the end. All 0 for an empty period.
LoadCurve LoadOf(absl::Span<const HistoryJob> jobs, const Schedule& schedule, const Period& period,
                 int parts);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_LOAD_CURVE_H_
