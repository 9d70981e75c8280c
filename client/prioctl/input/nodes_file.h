// The description of a cluster's nodes, from a file.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_NODES_FILE_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_NODES_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/slurm/words/file_violations.h"
#include "priority/v1/plan.pb.h"

namespace priorityd::prioctl {

// A slurm.conf's NodeName, NodeSet, PartitionName and Licenses lines, with the files that it
// Includes; or a ClusterDescription as proto JSON, which begins with `{`. Errors name the file.
absl::StatusOr<::priority::v1::ClusterDescription> ReadNodes(const std::string& path);

// The same of texts that are read already, the main one first; without NodeName lines, no nodes.
absl::StatusOr<::priority::v1::ClusterDescription> DescribeNodes(
    absl::Span<const slurm::SourceFile> sources);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_NODES_FILE_H_
