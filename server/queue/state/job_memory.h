// The memory that the queue takes for a job.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_MEMORY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_MEMORY_H_

#include <cstddef>

#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// An upper estimate in bytes, from the job's texts, pairs and the ids in its dependency. It does
// not depend on other jobs.
size_t MemoryOf(const TrackedJob& job);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_MEMORY_H_
