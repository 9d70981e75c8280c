// Whom a job would preempt.
#ifndef PRIORITYD_SERVER_PLAN_PREEMPTION_H_
#define PRIORITYD_SERVER_PLAN_PREEMPTION_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "server/plan/cluster.h"

namespace priorityd::plan {

struct Victims {
  std::vector<int> running;  // By number, in the order of the candidates; none = it fits as it is.
  int place = 0;             // Which of the job's places it is for.
  std::vector<int> nodes;    // Where the job then fits: the first that do.
  // Whether no fewer would do. False where finding out would have taken too long: then none of
  // `running` could be spared.
  bool fewest = true;
};

// The fewest of `candidates` (numbers of running jobs, those that are to go first in front) without
// which the job could start now; of equally many those of which the last in that order stands
// furthest in front, then the one before it, and so on. Of its places the first with the fewest.
// Unset: it could not even without all of them.
std::optional<Victims> ChooseVictims(const Cluster& cluster, absl::Span<const RunningJob> running,
                                     const WaitingJob& job, absl::Span<const int> candidates);

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_PREEMPTION_H_
