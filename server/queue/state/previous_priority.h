// PriorityFlags=INCR_ONLY on the tracked queue.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_

#include <vector>

#include "absl/time/time.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_queue.h"

namespace priorityd::queue {

// What a recalculation changes under INCR_ONLY: the previous priority of every
// pending job whose priority at `as_of` is above it. Of a job in several pairs the
// lowest counts. Held jobs and those with an admin priority keep theirs; without
// the flag nothing changes.
std::vector<JobChange> RaisePreviousPriorities(const QueueState& state, absl::Time as_of);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_PREVIOUS_PRIORITY_H_
