// `prioctl policy replay`: the policy laboratory.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_H_

#include "absl/status/status.h"
#include "client/prioctl/console.h"
#include "client/prioctl/replay_options.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Plays the history and prints what came of it; asks no server. Returns what went wrong, for one
// line on standard error.
absl::Status Run(const ReplayOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_H_
