// The fairness of a schedule to the users that compete for the cluster.
#ifndef PRIORITYD_ENGINE_LABORATORY_FAIRNESS_H_
#define PRIORITYD_ENGINE_LABORATORY_FAIRNESS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/measures.h"

namespace priorityd::laboratory {

// Jain's fairness index (Jain, Chiu and Hawe, DEC-TR-301, 1984): 1 = all values are equal, 1/n =
// one of n values is the whole sum. 1 if the sum is 0.
double JainIndex(absl::Span<const double> values);

struct Fairness {
  // The mean over all samples of Jain's index of decayed usage / due share of the waiting users.
  double jain_index = 1;
  // The number of samples with at least two waiting users; 0 = there was no competition and the
  // index is meaningless.
  int64_t samples = 0;
};

// Samples the period every `step` (above 0). Each sample compares the users (associations with a
// share) that have a waiting job: CPU-seconds used since the begin of the history, decayed with
// `half_life` (InfiniteDuration() = no decay), divided by the due share.
Fairness FairnessOf(const Site& site, absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                    const Period& period, absl::Duration half_life, absl::Duration step);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_FAIRNESS_H_
