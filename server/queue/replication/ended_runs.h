// The runs of jobs that a change of the tracked queue ends.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_ENDED_RUNS_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_ENDED_RUNS_H_

#include <vector>

#include "server/queue/state/tracked_queue.h"
#include "server/usage/job_end_charge.h"

namespace priorityd::queue {

// The jobs that have ended after `changes` of `jobs`, with a start and an end, and had not ended so
// before; in the order of the changes. A job that is removed, or never started, has no such run.
// Its partition and QOS are the first that it names.
std::vector<usage::EndedRun> EndedRuns(const TrackedQueue& jobs,
                                       const std::vector<JobChange>& changes);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_ENDED_RUNS_H_
