// A batch script as a job: what sbatch would submit, as far as priority, cost and start go.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SCRIPT_BATCH_SCRIPT_H_
#define PRIORITYD_CLIENT_PRIOCTL_SCRIPT_BATCH_SCRIPT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "priority/v1/job.pb.h"

namespace priorityd::script {

struct BatchScript {
  // Without job_id, user and submit_time. CPUs, nodes and TRES are those of the whole job: the
  // least that sbatch's options permit. A dependency is not set.
  ::priority::v1::Job job;
  // `job.sh line 4: --output: no effect on priority`.
  std::vector<std::string> warnings;
};

// `name`: what errors call the script. `now` and `zone`: of --begin. INVALID_ARGUMENT `NAME line 4:
// --nodes: got "x", want ...` as in ReadScriptOptions and for values that sbatch refuses.
absl::StatusOr<BatchScript> ReadBatchScript(const std::string& name, absl::string_view content,
                                            absl::Time now, absl::TimeZone zone);

}  // namespace priorityd::script

#endif  // PRIORITYD_CLIENT_PRIOCTL_SCRIPT_BATCH_SCRIPT_H_
