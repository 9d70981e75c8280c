#include "server/api/plans/convert_plan.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/hostlist.h"
#include "server/messages/view.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

priority::TresMap Canonical(const google::protobuf::Map<std::string, double>& tres) {
  priority::TresMap counts;
  for (const auto& [name, count] : tres) {
    auto canonical = priority::CanonicalTresName(name);
    if (canonical.ok()) counts[*std::move(canonical)] = count;
  }
  return counts;
}

}  // namespace

std::vector<std::string> NodeNames(const v1::NodeType& proto) {
  if (!proto.hosts().empty()) {
    return slurm::ExpandHostlist(View(proto.hosts())).value_or(std::vector<std::string>());
  }
  std::vector<std::string> names;
  for (uint32_t i = 0; i < proto.nodes(); ++i) names.push_back(absl::StrCat(proto.name(), "-", i));
  return names;
}

scheduling::ClusterDescription FromProto(const v1::ClusterDescription& proto) {
  scheduling::ClusterDescription description = {.licenses = Canonical(proto.licenses())};
  for (const v1::NodeType& type : proto.node_types()) {
    description.node_types.push_back(
        {.name = type.name(),
         .nodes = NodeNames(type),
         .partitions = {type.partitions().begin(), type.partitions().end()},
         .tres = Canonical(type.tres())});
  }
  for (const v1::PartitionCap& cap : proto.partition_caps()) {
    description.partition_caps.push_back(
        {.partition = cap.partition(), .nodes = static_cast<double>(cap.nodes())});
  }
  return description;
}

absl::StatusOr<scheduling::DescribedCluster> ToDescribedCluster(
    const priority::Snapshot& snapshot, const v1::ClusterDescription& description,
    const google::protobuf::RepeatedPtrField<v1::JobPlacement>& protos) {
  std::vector<scheduling::JobPlacement> placements;
  for (const v1::JobPlacement& proto : protos) {
    placements.push_back({.job_id = proto.job_id(),
                          .node_types = {proto.node_types().begin(), proto.node_types().end()},
                          .nodes = {proto.nodes().begin(), proto.nodes().end()}});
  }
  auto described = scheduling::DescribedCluster::Make(snapshot, FromProto(description), placements);
  if (!described.ok()) return errors::WithReason(described.status(), "INVALID_FIELD");
  return described;
}

}  // namespace priorityd::rpc
