// `prioctl shares`: the shares of each account and user beside their usage.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARES_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARES_H_

#include <ostream>
#include <vector>

#include "client/prioctl/usage/share_picture.h"

namespace priorityd::prioctl {

// The table that the picture is of.
void PrintShareParts(const std::vector<SharePart>& parts, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARES_H_
