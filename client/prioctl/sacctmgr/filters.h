// Filters of the service from the selection of a command.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FILTERS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FILTERS_H_

#include "absl/status/statusor.h"
#include "client/prioctl/sacctmgr/selection.h"
#include "client/priority_client.h"
#include "priority/v1/administration.pb.h"

namespace priorityd::sacctmgr {

// Associations as the selection names them: accounts, users, partitions, parents, QOS.
::priority::v1::AssociationFilter AssociationsOf(const Selection& selection);

// Users as the selection names them.
::priority::v1::UserFilter UsersOf(const Selection& selection);

// The accounts themselves, without their users. Asks the service if they are selected by
// description or organization; all accounts without a selection.
absl::StatusOr<::priority::v1::AssociationFilter> AccountFilter(
    const Selection& selection, const client::PriorityClient& client);

// Users' associations, never the accounts'. Asks the service where no user is named.
absl::StatusOr<::priority::v1::AssociationFilter> UserAssociationFilter(
    const Selection& selection, const client::PriorityClient& client);

// Whether the account has a description and an organization that the selection names.
bool IsDescribed(const Selection& selection, const ::priority::v1::Association& account);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FILTERS_H_
