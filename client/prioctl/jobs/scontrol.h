// `prioctl scontrol`: what Slurm's scontrol does with jobs and partitions.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_SCONTROL_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_SCONTROL_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/priority_client.h"

namespace priorityd::jobs {

struct ScontrolOptions {
  std::vector<std::string> words;  // `update`, `JobId=7`, `nice=50`
  std::string on_behalf_of;        // Empty = nobody.
  bool one_line = false;           // -o
  bool json = false;
};

// Does what the words say. INVALID_ARGUMENT, before anything is asked, where they say nothing that
// there is; a job that cannot be changed is a line in `err` and sets `exit_code` to 1, and keeps no
// other from being changed.
absl::Status Scontrol(const ScontrolOptions& options, const client::PriorityClient& client,
                      absl::Time now, std::ostream& out, std::ostream& err, int* exit_code);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_SCONTROL_H_
