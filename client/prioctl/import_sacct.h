// `prioctl import sacct`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_IMPORT_SACCT_H_
#define PRIORITYD_CLIENT_PRIOCTL_IMPORT_SACCT_H_

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Records the usage and prints what became of it; rejected records are named by their place and
// make the command fail.
absl::Status Run(const ImportSacctOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_IMPORT_SACCT_H_
