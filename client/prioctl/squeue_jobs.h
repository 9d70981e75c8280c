// The queue of a Slurm cluster, as squeue prints it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SQUEUE_JOBS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SQUEUE_JOBS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::prioctl {

// Reads what `squeue --json` or `squeue -o "%i|%u|%a|..."` printed, with its heading. Columns
// wanted are JOBID, USER and STATE (or ST); as far as they are there, ACCOUNT, PARTITION, QOS,
// TIME_LIMIT, NODES, CPUS, NAME, SUBMIT_TIME, START_TIME, DEPENDENCY, NICE, REASON, RESERVATION are
// read too. Times are of `zone`. Jobs that have ended are left out. INVALID_ARGUMENT names the
// line.
absl::StatusOr<priority::v1::InlineJobs> ReadSqueueJobs(const std::string& name,
                                                        absl::string_view content,
                                                        absl::TimeZone zone);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SQUEUE_JOBS_H_
