// What a provisioner may make: the accounts, users and partitions that a frontend's jobs name, with
// nothing set that gives them more than others have, and the size of the cluster.
#ifndef PRIORITYD_SERVER_RPC_PROVISIONING_H_
#define PRIORITYD_SERVER_RPC_PROVISIONING_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "server/administration/tree_rights.h"
#include "server/rpc/caller.h"
#include "storage/cluster_store.h"
#include "storage/transaction.h"

namespace priorityd::rpc {

// Those of a caller in a creation: an operator's for a provisioner who sets nothing.
administration::TreeRights RightsIn(const ::priority::v1::CreateAssociationsRequest& request,
                                    const Caller& caller);

// PERMISSION_DENIED (ROLE_REQUIRED) unless the caller is an administrator, or a provisioner may do
// so: not create a cluster, ...
absl::Status CheckProvision(const Caller& caller,
                            const ::priority::v1::UpdateClusterRequest& request);
// ... and not change partitions that are there, nor set anything but State of new ones. In the
// transaction that makes them.
absl::Status CheckProvision(const Caller& caller,
                            const ::priority::v1::UpdatePartitionsRequest& request,
                            storage::Transaction& transaction, const storage::Cluster& cluster);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_PROVISIONING_H_
