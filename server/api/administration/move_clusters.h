// MoveCluster, ReadClusterRows and WriteClusterRows.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_MOVE_CLUSTERS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_MOVE_CLUSTERS_H_

#include "absl/status/status.h"
#include "priority/v1/cluster_move.pb.h"
#include "server/transport/boundary.h"
#include "server/transport/caller.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// The caller must be an administrator of the cluster, which need not be in this cell. Errors of
// administration/cluster_move.h.
absl::Status MoveCluster(storage::Database& database, const Boundary& boundary,
                         const Caller& caller, const ::priority::v1::MoveClusterRequest& request,
                         ::priority::v1::ClusterMove* response);
absl::Status ReadClusterRows(storage::Database& database, const Boundary& boundary,
                             const Caller& caller,
                             const ::priority::v1::ReadClusterRowsRequest& request,
                             ::priority::v1::ClusterRows* response);
absl::Status WriteClusterRows(storage::Database& database, const Boundary& boundary,
                              const Caller& caller,
                              const ::priority::v1::WriteClusterRowsRequest& request,
                              ::priority::v1::MovedTable* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_MOVE_CLUSTERS_H_
