// PartitionName lines.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_PARTITION_LINES_H_
#define PRIORITYD_ENGINE_SLURM_CONF_PARTITION_LINES_H_

#include <string>
#include <utility>
#include <vector>

#include "engine/priority/site/cluster.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/node_lines.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// Whether priorityd acts on the parameter of a PartitionName line (case-insensitive).
bool IsPartitionKey(absl::string_view name);

// Reads lines one by one and interprets them at the end, because the meaning depends on the nodes
// and the cluster-wide PreemptMode, which may come later.
class PartitionLines {
 public:
  // Both must outlive the object.
  PartitionLines(FileViolations& violations, std::vector<std::string>& warnings)
      : violations_(violations), warnings_(warnings) {}

  // REQUIRES: the line's first key is PartitionName.
  void Read(const ConfLine& line);

  // The partitions in the order of their lines. If a partition has several lines, or there are
  // several defaults, the last one is used, with a warning. `preemptible`: by the cluster-wide
  // PreemptMode.
  std::vector<priority::Partition> Finish(NodeLines& nodes, bool preemptible,
                                          std::vector<std::string>& all_nodes_partitions);

 private:
  FileViolations& violations_;
  std::vector<std::string>& warnings_;
  ConfRecord defaults_;
  std::vector<std::pair<ConfPair, ConfRecord>> partitions_;  // The name, the line.
};

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_PARTITION_LINES_H_
