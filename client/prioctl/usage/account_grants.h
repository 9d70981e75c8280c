// The grants of accounts, in a cluster and in its usage domain.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_ACCOUNT_GRANTS_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_ACCOUNT_GRANTS_H_

#include "absl/status/statusor.h"
#include "client/priority_client.h"
#include "priority/v1/grant.pb.h"

namespace priorityd::prioctl {

struct AccountGrants {
  ::priority::v1::ListGrantsResponse own;        // Of the cluster.
  ::priority::v1::ListGrantsResponse of_domain;  // Empty if the cluster is in no usage domain.
};

// The answers to `request`, which names no cluster, there and in the usage domain. An answer is
// empty if the caller may not list grants or the service has none, and that of the domain also if
// the caller does not see the domain.
absl::StatusOr<AccountGrants> ListAccountGrants(::priority::v1::ListGrantsRequest request,
                                                const client::PriorityClient& client);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_ACCOUNT_GRANTS_H_
