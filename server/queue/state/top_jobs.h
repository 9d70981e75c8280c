// `scontrol top`: puts some of a user's jobs before the user's others.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_TOP_JOBS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_TOP_JOBS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/queue/state/job_rights.h"
#include "server/queue/state/tracked_queue.h"
#include "server/queue/state/update_results.h"

namespace priorityd::queue {

// The result for one job whose nice changes or that cannot be moved.
struct TopResult {
  std::string job_id;
  UpdateResult result;
};

// Changes nice so that these jobs come first, in this order, among the pending jobs of the same
// association, partition and QOS that are neither held nor have a priority set by hand, and that
// are not of a source which the caller may not change; the others keep their order. Equal
// priorities are separated by as little as the order needs.
//
// For operators and frontends the jobs' priorities are permuted, so that the sum of their nice
// stays the same. For users and coordinators (`rights.user`) no nice falls below 0, or below its
// negative value: jobs that have to go behind get a higher nice, and nobody gains precedence over
// the jobs of others.
//
// A job of another user, association, partition or QOS than the first, or one that is held, running
// or in several partitions cannot be moved, and for users none behind a job of priority 1: then
// nothing changes. `now`: the time of the priorities.
std::vector<JobChange> PutFirst(const TrackedQueue& queue,
                                absl::Span<const absl::string_view> job_ids,
                                const JobRights& rights, absl::Time now,
                                std::vector<TopResult>* results);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_TOP_JOBS_H_
