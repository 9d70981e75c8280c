// Converts the cluster description of PlanStarts and SuggestPreemption for engine/scheduling.
#ifndef PRIORITYD_SERVER_API_PLANS_CONVERT_PLAN_H_
#define PRIORITYD_SERVER_API_PLANS_CONVERT_PLAN_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/scheduling/cluster_description.h"
#include "engine/scheduling/described_cluster.h"
#include "priority/v1/plan.pb.h"

namespace priorityd::rpc {

// The hosts; without them `TYPE-0`, `TYPE-1`, ... None if CountHosts refuses the hosts.
std::vector<std::string> NodeNames(const ::priority::v1::NodeType& type);

scheduling::ClusterDescription FromProto(const ::priority::v1::ClusterDescription& proto);

// INVALID_ARGUMENT (INVALID_FIELD) names placements on nodes or node types that are not described.
// REQUIRES: the request is valid; `snapshot` outlives the result.
absl::StatusOr<scheduling::DescribedCluster> ToDescribedCluster(
    const priority::Snapshot& snapshot, const ::priority::v1::ClusterDescription& description,
    const google::protobuf::RepeatedPtrField<::priority::v1::JobPlacement>& placements);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_CONVERT_PLAN_H_
