// PriorityFlags=INCR_ONLY for the tracked queue.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_

#include <vector>

#include "absl/time/time.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_queue.h"

namespace priorityd::queue {

// The changes of a recalculation under INCR_ONLY: raises the stored previous priorities of pending
// jobs with a pair whose priority at `as_of` exceeds its previous one. A job's own previous
// priority is the lowest of its pairs; pair_priorities hold the excess of the others. Held jobs and
// jobs with an admin priority stay unchanged; without the flag nothing changes.
std::vector<JobChange> RaisePreviousPriorities(const QueueState& state, absl::Time as_of);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_
