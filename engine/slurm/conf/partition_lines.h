// PartitionName lines.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_PARTITION_LINES_H_
#define PRIORITYD_ENGINE_SLURM_CONF_PARTITION_LINES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/node_lines.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// Of the settings of all lines, with those of DEFAULT lines in each, and some bytes for each line.
inline constexpr size_t kMaxPartitionBytes = 8 << 20;

// Whether priorityd acts on the parameter of a PartitionName line (case-insensitive).
bool IsPartitionKey(absl::string_view name);

// Reads lines one by one and interprets them at the end, because the meaning depends on the nodes
// and the cluster-wide PreemptMode, which may come later.
class PartitionLines {
 public:
  // Both must outlive the object.
  PartitionLines(FileViolations& violations, std::vector<std::string>& warnings)
      : violations_(violations), warnings_(warnings) {}

  // After Finish: what the line of a partition, or DEFAULT lines before it, set for its jobs; only
  // partitions with any of it. Of DefMemPerCPU and DefMemPerNode the last one holds.
  const std::map<std::string, priority::PartitionRules>& rules() const { return rules_; }

  // REQUIRES: the line's first key is PartitionName.
  void Read(const ConfLine& line);

  // The partitions in the order of their lines. If a partition has several lines, or there are
  // several defaults, the last one is used, with a warning. `preempt_mode`: the cluster-wide
  // PreemptMode, valid.
  std::vector<priority::Partition> Finish(NodeLines& nodes, absl::string_view preempt_mode,
                                          std::vector<std::string>& all_nodes_partitions);

 private:
  void ReadMemory(const ConfLine& line);
  void AddRules(const std::string& name, priority::PartitionRules rules);

  FileViolations& violations_;
  std::vector<std::string>& warnings_;
  ConfRecord defaults_;
  std::optional<priority::DefaultMemory> memory_of_defaults_;
  std::map<std::string, priority::DefaultMemory> default_memory_;
  std::map<std::string, priority::PartitionRules> rules_;
  std::vector<std::pair<ConfPair, ConfRecord>> partitions_;  // The name, the line.
  size_t bytes_ = 0;                                         // Of the settings of all lines.
};

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_PARTITION_LINES_H_
