// The verbs of `prioctl scontrol` on partitions.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_PARTITION_VERBS_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_PARTITION_VERBS_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "client/prioctl/jobs/scontrol.h"
#include "client/priority_client.h"

namespace priorityd::jobs {

// One command line of scontrol's at work, whose `words` begin with the verb. What partitions have
// is changed with the caller's own rights: INVALID_ARGUMENT where `on_behalf_of` is set. What a
// change warns of is lines in `err`.
class PartitionVerbs {
 public:
  PartitionVerbs(const ScontrolOptions& options, const client::PriorityClient& client,
                 std::ostream& out, std::ostream& err, int* exit_code)
      : options_(options), client_(client), out_(out), err_(err), exit_code_(exit_code) {}

  // Empty = all. One that is not there sets `exit_code` to 1.
  absl::Status Show(const std::string& name);
  absl::Status Update();
  // INVALID_ARGUMENT where the partition is there already.
  absl::Status Create();
  absl::Status Delete();

 private:
  absl::Status Print(const absl::StatusOr<::priority::v1::ChangeResponse>& response, int settings);

  const ScontrolOptions& options_;
  const client::PriorityClient& client_;
  std::ostream& out_;
  std::ostream& err_;
  int* const exit_code_;
};

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_PARTITION_VERBS_H_
