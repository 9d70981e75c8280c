// Metrics of the tracked jobs.
#ifndef PRIORITYD_SERVER_METRICS_JOB_COUNTS_H_
#define PRIORITYD_SERVER_METRICS_JOB_COUNTS_H_

#include "absl/time/time.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/queue/replication/tracked_queues.h"

namespace priorityd::metrics {

// Adds the counts of all loaded queues by state and reason; a job that can start has the reason
// Priority. `now`: by the site's clock.
void AddTrackedJobs(queue::TrackedQueues& queues, absl::Time now, ClusterLabels* labels,
                    Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_JOB_COUNTS_H_
