// `prioctl shares`: what each account and user is due, beside what it used.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SHARES_H_
#define PRIORITYD_CLIENT_PRIOCTL_SHARES_H_

#include <ostream>
#include <vector>

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/prioctl/share_picture.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// The table that the picture is of.
void PrintShareParts(const std::vector<SharePart>& parts, std::ostream& out);

// Asks the service, and writes the picture, the JSON or the table.
absl::Status Run(const SharesOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SHARES_H_
