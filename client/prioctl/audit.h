// `prioctl audit`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_AUDIT_H_
#define PRIORITYD_CLIENT_PRIOCTL_AUDIT_H_

#include "absl/status/status.h"
#include "client/prioctl/administration_options.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service and prints the answer. Returns what went wrong, for one line on standard error.
absl::Status Run(const AuditOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_AUDIT_H_
