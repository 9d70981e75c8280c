// The cluster description of a request, completed by the policy.
#ifndef PRIORITYD_SERVER_API_PLANS_COMPLETE_DESCRIPTION_H_
#define PRIORITYD_SERVER_API_PLANS_COMPLETE_DESCRIPTION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/priority/site/scheduling.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/plan.pb.h"
#include "server/api/plans/known_nodes.h"

namespace priorityd::rpc {

// `given`, with the nodes and licenses of `known` (may be null) if it has no node types, and with
// the policy's PartitionNodeCaps for partitions without a cap of their own. FAILED_PRECONDITION
// (NO_NODES) if neither has nodes.
absl::StatusOr<::priority::v1::ClusterDescription> CompleteDescription(
    const ::priority::v1::ClusterDescription& given, const KnownNodes::Description& known,
    const priority::Scheduling& policy);

// INVALID_ARGUMENT (INVALID_FIELD) names the first cap of a partition that the cluster does not
// have.
absl::Status CheckCaps(const ::priority::v1::ClusterDescription& given,
                       const priority::Snapshot& snapshot);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_COMPLETE_DESCRIPTION_H_
