// `prioctl plan` and `prioctl preempt`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_PLAN_H_
#define PRIORITYD_CLIENT_PRIOCTL_PLAN_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service and prints the answer. Returns what went wrong, for one line on standard error:
// errors of the service or of the files read.
absl::Status Run(const PlanOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const PreemptOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_PLAN_H_
