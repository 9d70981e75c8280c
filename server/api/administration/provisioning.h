// The rights of a provisioner: to create accounts, users and partitions named by a frontend's jobs,
// without settings that give them an advantage, and to set the cluster's size.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_PROVISIONING_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_PROVISIONING_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "server/administration/tree/tree_rights.h"
#include "server/transport/caller.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/transaction.h"

namespace priorityd::rpc {

// The caller's rights in a creation: an operator's for a provisioner without settings.
administration::TreeRights RightsIn(const ::priority::v1::CreateAssociationsRequest& request,
                                    const Caller& caller);

// PERMISSION_DENIED (ROLE_REQUIRED) unless the caller is an administrator, or a provisioner with
// the right: a provisioner may not create a cluster, ...
absl::Status CheckProvision(const Caller& caller,
                            const ::priority::v1::UpdateClusterRequest& request);
// ... nor change existing partitions, nor set anything but State in new ones. Called in the
// transaction that creates them.
absl::Status CheckProvision(const Caller& caller,
                            const ::priority::v1::UpdatePartitionsRequest& request,
                            storage::Transaction& transaction, const storage::Cluster& cluster);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_PROVISIONING_H_
