// Tracked jobs by state and reason.
#ifndef PRIORITYD_SERVER_METRICS_JOB_COUNTS_H_
#define PRIORITYD_SERVER_METRICS_JOB_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "engine/priority/limits/reason.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::metrics {

inline constexpr size_t kReasons = static_cast<size_t>(priority::Reason::kNone) + 1;

// Array tasks count one by one.
struct JobCounts {
  int64_t running = 0;  // Or suspended.
  // Pending jobs by the reason why they cannot start; kNone = they can start, apart from limits
  // that depend on the remaining use of running jobs.
  std::array<int64_t, kReasons> pending = {};
};

// One pass over the jobs' columns. A job with several partitions or QOS counts under the one
// nearest to a start. `now`: by the site's clock.
JobCounts CountJobs(const queue::QueueState& queue, absl::Time now);

// Adds the counts of all loaded queues.
void AddTrackedJobs(queue::TrackedQueues& queues, absl::Time now, ClusterLabels* labels,
                    Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_JOB_COUNTS_H_
