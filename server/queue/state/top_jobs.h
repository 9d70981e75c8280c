// `scontrol top`: puts jobs of one user before her others.
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

// What became of one job: of those whose nice changes, or of those that cannot be moved.
struct TopResult {
  std::string job_id;
  UpdateResult result;
};

// Changes nice so that these jobs come first, in this order, among the pending jobs of the same
// association, partition and QOS that nobody holds and whose priority nobody has set; those keep
// their order. The priorities that they have are dealt anew, so that the sum of all their nice
// stays what it was; where equal ones would not give the order they are moved apart, by as little
// as does. Jobs of another user, association, partition or QOS than the first, held, running,
// or in several partitions cannot be moved: nothing changes then. `now`: of the priorities.
std::vector<JobChange> PutFirst(const TrackedQueue& queue,
                                absl::Span<const absl::string_view> job_ids,
                                const JobRights& rights, absl::Time now,
                                std::vector<TopResult>* results);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_TOP_JOBS_H_
