// `dump` and `load`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DUMP_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DUMP_H_

#include "absl/status/status.h"
#include "client/prioctl/sacctmgr/command.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"

namespace priorityd::sacctmgr {

// Writes the cluster's accounts and users into a file, ./CLUSTER.cfg where none is named; `-` is
// standard output.
absl::Status Dump(const Command& command, const client::PriorityClient& client,
                  const Settings& settings, Terminal& terminal);

// Takes in such a file, with `clean` what it does not name is deleted.
absl::Status Load(const Command& command, const client::PriorityClient& client,
                  const Settings& settings, Terminal& terminal);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DUMP_H_
