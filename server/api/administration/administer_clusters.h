// ListClusters, DeleteCluster and RestoreCluster.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_CLUSTERS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_CLUSTERS_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/recovery.pb.h"
#include "server/transport/boundary.h"
#include "server/transport/caller.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Lists the clusters in which a role of the caller may call it.
absl::Status ListClusters(storage::Database& database, const Boundary& boundary,
                          const Caller& caller, const ::priority::v1::ListClustersRequest& request,
                          ::priority::v1::ListClustersResponse* response);

// Restores a deleted cluster; the caller must be an administrator of it. Errors of
// administration::RestoreCluster.
absl::Status RestoreCluster(storage::Database& database, const Boundary& boundary,
                            const Caller& caller, absl::Time now,
                            const ::priority::v1::RestoreClusterRequest& request,
                            ::priority::v1::Cluster* response);

// The caller must be an administrator of the cluster. Errors of administration::DeleteCluster.
absl::Status DeleteCluster(storage::Database& database, const Boundary& boundary,
                           const Caller& caller, absl::Time now,
                           const std::function<bool()>& may_go_on,
                           const ::priority::v1::DeleteClusterRequest& request,
                           ::priority::v1::DeleteClusterResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_CLUSTERS_H_
