// The tracked queue under a hypothetical configuration.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SUPPOSED_QUEUE_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SUPPOSED_QUEUE_H_

#include <memory>

#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::queue {

// The same jobs for another snapshot, whose configuration is in force from `since` on: from then
// on, ages stop and continue by its limits.
std::shared_ptr<const QueueState> Suppose(const QueueState& queue,
                                          std::shared_ptr<const priority::Snapshot> snapshot,
                                          absl::Time since);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SUPPOSED_QUEUE_H_
