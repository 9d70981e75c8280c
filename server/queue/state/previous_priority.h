// PriorityFlags=INCR_ONLY on the tracked queue.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_

#include <vector>

#include "absl/time/time.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_queue.h"

namespace priorityd::queue {

// What a recalculation changes under INCR_ONLY: of the pending jobs that have a pair whose
// priority at `as_of` is above its previous one, what those pairs had. A job's own previous
// priority is the lowest of its pairs; pair_priorities hold what others had more.
// Held jobs and those with an admin priority keep theirs; without the flag nothing changes.
std::vector<JobChange> RaisePreviousPriorities(const QueueState& state, absl::Time as_of);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_
