// The job size factor (Slurm 25.11, priority_multifactor, "Job Size Factor").
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_SIZE_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_SIZE_H_

#include "absl/time/time.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"

namespace priorityd::priority {

// The inputs of the factor.
struct JobSize {
  double nodes = 1;
  double cpus = 0;     // 0 = unknown: only nodes count.
  double minutes = 1;  // Time limit; read under SMALL_RELATIVE_TO_TIME only.
};

// A time limit in whole minutes, rounded up, 1 to 4294967295; infinite = 4294967295.
double LimitMinutes(absl::Duration time_limit);

// 0..1. 0 for a cluster without nodes or CPUs. PriorityFavorSmall and
// SMALL_RELATIVE_TO_TIME choose the formula; see docs/semantics.md, section 6.
double JobSizeFactor(const Policy& policy, const Cluster& cluster, const JobSize& size);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_SIZE_H_
