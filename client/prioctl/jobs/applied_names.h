// Jobs with the account, partitions, QOS and time limit that apply to them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_APPLIED_NAMES_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_APPLIED_NAMES_H_

#include "priority/v1/queue.pb.h"

namespace priorityd::jobs {

// Replaces account, partitions, QOS and time limit of each job, as its frontend sent them, by those
// that apply: the defaults where it names none. An older service returns none that apply; the jobs
// keep theirs.
void ShowApplied(::priority::v1::ListJobsResponse* jobs);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_APPLIED_NAMES_H_
