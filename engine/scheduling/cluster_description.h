// The nodes, caps and licenses of a cluster, as a caller describes them.
#ifndef PRIORITYD_ENGINE_SCHEDULING_CLUSTER_DESCRIPTION_H_
#define PRIORITYD_ENGINE_SCHEDULING_CLUSTER_DESCRIPTION_H_

#include <string>
#include <vector>

#include "engine/priority/site/tres.h"

namespace priorityd::scheduling {

// Identical nodes.
struct NodeType {
  std::string name;
  std::vector<std::string> nodes;       // Their names.
  std::vector<std::string> partitions;  // Empty = all.
  priority::TresMap tres;               // Of one node, by canonical name.
};

// The nodes that the jobs of a partition may hold together.
struct PartitionCap {
  std::string partition;
  double nodes = 0;
};

struct ClusterDescription {
  std::vector<NodeType> node_types;          // With distinct names.
  std::vector<PartitionCap> partition_caps;  // At most one per partition.
  priority::TresMap licenses;                // By canonical name, `license/NAME`.
};

// The node types and the nodes on which a job runs or must run.
struct JobPlacement {
  std::string job_id;
  std::vector<std::string> node_types;  // Empty = any.
  std::vector<std::string> nodes;       // Of a running job; empty = unknown.
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_CLUSTER_DESCRIPTION_H_
