// `prioctl record`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_RECORD_H_
#define PRIORITYD_CLIENT_PRIOCTL_RECORD_H_

#include <string>

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {

// Why a record was rejected: `UNKNOWN_ACCOUNT: account: got "x", want ...`.
std::string RejectionText(const ::priority::v1::UsageRecordResult& result);

// Asks the service and prints the answer. Returns what went wrong, for one line on standard error:
// errors of the service, of the files read, or what the command has to complain about.
absl::Status Run(const RecordOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_RECORD_H_
