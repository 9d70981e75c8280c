// How evenly a schedule shared the cluster among those who competed for it.
#ifndef PRIORITYD_SERVER_LABORATORY_FAIRNESS_H_
#define PRIORITYD_SERVER_LABORATORY_FAIRNESS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/laboratory/history.h"
#include "server/laboratory/measures.h"

namespace priorityd::laboratory {

// Jain's index (Jain, Chiu and Hawe, DEC-TR-301, 1984): 1 = all have the same, 1/n = one of n has
// everything. 1 where there is nothing to share.
double JainIndex(absl::Span<const double> values);

struct Fairness {
  // The mean over the samples of Jain's index of decayed usage by share of those who wait.
  double jain_index = 1;
  // Those with two users at least who waited; none = nobody had to compete, and the index says
  // nothing.
  int64_t samples = 0;
};

// Samples the period every `step` (above 0). At each, the users (associations with a share) who
// have a job waiting are compared: CPU-seconds used since the history's begin, decayed with
// `half_life` (InfiniteDuration() = not at all), by the share that is due.
Fairness FairnessOf(const Site& site, absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                    const Period& period, absl::Duration half_life, absl::Duration step);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_FAIRNESS_H_
