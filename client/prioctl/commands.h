// The commands of prioctl: each asks the service and prints the answer.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMANDS_H_

#include <ostream>

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Where a command writes.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;  // progress is shown there
  bool out_is_terminal = false;  // a live view is drawn there
};

// Each returns what went wrong, for one line on standard error: errors of the
// service, of the files read, or what the command has to complain about.
absl::Status Run(const ImportOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const RankOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const ExplainOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const RecordOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const SshareOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const ShareHistoryOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const SprioOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const SreportOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const RecalculateOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const ResetUsageOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const RebuildUsageOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const PolicyApplyOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const PolicyShowOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const PolicyLintOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const PolicyDiffOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const WhatIfOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const QueueUpdateOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const QueueRemoveOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const QueueListOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const WatchOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const ClusterOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMANDS_H_
