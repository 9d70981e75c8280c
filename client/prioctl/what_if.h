// `prioctl what-if` and `policy diff`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_H_
#define PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_H_

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service and prints the answer. Each returns what went wrong, for one line on standard
// error: errors of the service, of the files read, or what the command has to complain about.
absl::Status Run(const PolicyDiffOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const WhatIfOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_H_
