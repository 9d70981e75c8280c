// `scontrol show job`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_SHEET_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_SHEET_H_

#include <string>

#include "absl/time/time.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::jobs {

// All that is known of a job, by scontrol's names and in its order; `one_line` as `scontrol -o`.
// Without the facts that only a frontend knows; Place and Source are ours. Ends with the line.
std::string JobSheet(const ::priority::v1::TrackedJob& job, absl::Time now, bool one_line);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_SHEET_H_
