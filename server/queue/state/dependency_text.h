// A job's dependency in words.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_TEXT_H_
#define PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_TEXT_H_

#include <string>
#include <vector>

#include "server/queue/state/queue_state.h"
#include "server/queue/state/shown_ranking.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// `waits for afterok:7`, from the expression alone.
std::string DependencyText(const TrackedJob& job);

// A sentence for each job, or kind of job, that the dependency names, with that job's state; empty
// for a job without an unmet dependency. A job that is not `shown` (null = all are) is described as
// absent. Goes over all jobs of the queue once.
std::vector<std::string> DependencySentences(const QueueState& state, const TrackedJob& job,
                                             const JobFilter& shown = nullptr);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_TEXT_H_
