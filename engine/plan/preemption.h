// The jobs that a waiting job would preempt.
#ifndef PRIORITYD_ENGINE_PLAN_PREEMPTION_H_
#define PRIORITYD_ENGINE_PLAN_PREEMPTION_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "engine/plan/cluster.h"
#include "engine/plan/victim_work.h"

namespace priorityd::plan {

struct Victims {
  std::vector<int> running;  // In the order of the candidates; empty = the job fits without.
  int place = 0;             // Index of the job's place.
  std::vector<int> nodes;    // The first nodes on which the job then fits.
  // Whether fewer victims are impossible. False if the search was cut short; then `running` is
  // minimal only in that none of its jobs can be spared.
  bool fewest = true;
};

// The smallest set of `candidates` whose preemption lets the job start now. `candidates` are
// numbers of running jobs in the order in which they should be preempted. Among sets of equal size,
// the one whose last job comes earliest in that order, then whose second to last does, and so on.
// Among places, the first with the smallest set. nullopt = preempting all is not enough. All
// searches, one for each node where no candidate has two nodes, take their work off `work`.
std::optional<Victims> ChooseVictims(const Cluster& cluster, absl::Span<const RunningJob> running,
                                     const WaitingJob& job, absl::Span<const int> candidates,
                                     VictimWork& work);

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_PREEMPTION_H_
