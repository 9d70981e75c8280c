#include "server/api/plans/complete_description.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void AddCaps(const priority::Scheduling& policy, v1::ClusterDescription* description) {
  absl::flat_hash_set<std::string> capped;
  for (const v1::PartitionCap& cap : description->partition_caps()) capped.insert(cap.partition());
  for (const auto& [partition, nodes] : policy.node_caps) {
    if (capped.contains(partition)) continue;
    v1::PartitionCap* cap = description->add_partition_caps();
    cap->set_partition(partition);
    cap->set_nodes(nodes);
  }
}

}  // namespace

absl::StatusOr<v1::ClusterDescription> CompleteDescription(const v1::ClusterDescription& given,
                                                           const KnownNodes::Description& known,
                                                           const priority::Scheduling& policy) {
  v1::ClusterDescription description;
  if (given.node_types().empty()) {
    if (known == nullptr) {
      return errors::WithReason(
          absl::FailedPreconditionError(
              "description.node_types: got none, and no policy in force has NodeName lines of "
              "at most 100,000 nodes; want the nodes' types"),
          "NO_NODES");
    }
    description = *known;
  }
  description.MergeFrom(given);
  AddCaps(policy, &description);
  return description;
}

absl::Status CheckCaps(const v1::ClusterDescription& given, const priority::Snapshot& snapshot) {
  for (int i = 0; i < given.partition_caps_size(); ++i) {
    const std::string& partition = given.partition_caps(i).partition();
    if (snapshot.FindPartition(partition) >= 0) continue;
    return errors::WithReason(
        absl::InvalidArgumentError(
            absl::StrCat("description.partition_caps[", i, "].partition: got \"",
                         absl::Utf8SafeCEscape(partition), "\", want a partition of the cluster")),
        "INVALID_FIELD");
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
