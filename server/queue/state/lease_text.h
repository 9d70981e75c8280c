// The effect of leases on a job, as a sentence.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_LEASE_TEXT_H_
#define PRIORITYD_SERVER_QUEUE_STATE_LEASE_TEXT_H_

#include <string>

#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// `Its nice value is -100 until 2026-12-18T18:00:00, then 0 (lease 12).`, in the time zone of the
// policy; empty = no lease is in effect. `job`: as stored.
std::string LeaseSentence(const priority::Snapshot& snapshot, const TrackedJob& job);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_LEASE_TEXT_H_
