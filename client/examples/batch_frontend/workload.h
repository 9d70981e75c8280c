// Converts the jobs of a trace to jobs for a cluster.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_WORKLOAD_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_WORKLOAD_H_

#include <cstddef>
#include <vector>

#include "client/examples/batch_frontend/job.h"
#include "client/swf/swf.h"

namespace priorityd::batch_frontend {

struct WorkloadOptions {
  int cpus_per_node = 1;    // Of the cluster.
  double load_factor = 1;   // Jobs arrive so many times as fast as in the trace; above 0.
  double overestimate = 1;  // Time limits that the trace lacks: so many run times; at least 1.
  size_t max_jobs = 0;      // Only the first; 0 = all.
};

// In the order of submission, then of the trace. A job of P processors gets the fewest
// nodes that have so many and on each of them the same number of CPUs, P or a few more
// together. Users are named u1, u2, ... by their numbers. A time limit that the trace
// lacks is `overestimate` run times rounded up to a minute. A job that ran for 0
// seconds runs for one; jobs without run time or processors never ran and are left out.
std::vector<Job> MakeWorkload(const std::vector<swf::SwfJob>& trace,
                              const WorkloadOptions& options);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_WORKLOAD_H_
