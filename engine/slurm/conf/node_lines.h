// NodeName and NodeSet lines: the nodes of a cluster and its partitions.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_NODE_LINES_H_
#define PRIORITYD_ENGINE_SLURM_CONF_NODE_LINES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// Bounds; exceeding one is an error.
inline constexpr int64_t kMaxNodes = 1'000'000;  // Of a cluster.
// Of the settings of all lines, with those of DEFAULT lines in each.
inline constexpr size_t kMaxNodeBytes = 32 << 20;
inline constexpr int64_t kMaxPartitionHosts = 4'000'000;  // Over all Nodes= lists.

// The number of nodes and their total TRES: `cpu`, `mem`, `node`, gres/*.
struct NodeTotals {
  double nodes = 0;
  priority::TresMap tres;
};

// Whether priorityd acts on the parameter of a NodeName line (case-insensitive).
bool IsNodeKey(absl::string_view name);

// Reads lines one by one, then computes totals. CPUs of CoreSpecCount are not counted.
class NodeLines {
 public:
  // Both must outlive the object.
  NodeLines(FileViolations& violations, std::vector<std::string>& warnings)
      : violations_(violations), warnings_(warnings) {}

  // REQUIRES: the line's first key is NodeName.
  void ReadNode(const ConfLine& line);
  // REQUIRES: the line's first key is NodeSet.
  void ReadNodeSet(const ConfLine& line);

  // Whether there is any NodeName line but DEFAULT.
  bool any() const { return !groups_.empty(); }

  // The totals of all nodes except those in State=FUTURE. REQUIRES: no further line is read.
  const NodeTotals& Totals();
  // The totals of a Nodes= list: hosts, node sets, or ALL. Duplicates count once, nodes in
  // State=FUTURE do not count. Without NodeName lines: the number of hosts. Adds violations.
  NodeTotals TotalsOf(const ConfPair& nodes);

  // The nodes of a Nodes= list, likewise. Empty without NodeName lines.
  std::vector<std::string> HostsOf(const ConfPair& nodes);
  // The number of a node's line; -1 = none, or State=FUTURE.
  int GroupOf(const std::string& host) const;
  // Of one node of a line.
  const priority::TresMap& TresOfGroup(int group) const { return groups_[group].tres; }
  // The settings of a line as written, by lower-case key, with those of DEFAULT lines.
  const std::map<std::string, std::string>& SettingsOfGroup(int group) const {
    return groups_[group].settings;
  }

 private:
  // The nodes of one line are alike.
  struct Group {
    priority::TresMap tres;  // Of one node.
    int64_t nodes = 0;
    bool future = false;
    std::string features;
    std::map<std::string, std::string> settings;
  };
  struct Node {
    int32_t group = 0;
    int32_t counted_in = 0;  // The last TotalsOf that counted it.
  };

  void Error(const ConfPair& pair, absl::string_view message);
  priority::TresMap TresOf(const ConfRecord& record);
  double CpusOf(const ConfRecord& record);
  double SpecialCpusOf(const ConfRecord& record, double cpus, double cpus_per_core);
  double CountOf(const ConfRecord& record, absl::string_view lower_key, uint64_t max,
                 uint64_t fallback);
  void AddHosts(const ConfPair& name, int32_t group);
  std::vector<std::string> Expand(const ConfPair& pair);
  // Adds a host, or the hosts of a node set, up to the bound.
  void AppendName(const std::string& name, std::vector<std::string>& hosts);
  void AppendFeature(const std::string& feature, std::vector<std::string>& hosts);
  // Counts hosts against the bound; false if it is reached.
  bool Charge(size_t hosts);
  NodeTotals Sum(const absl::flat_hash_map<int32_t, int64_t>& nodes_by_group) const;

  FileViolations& violations_;
  std::vector<std::string>& warnings_;
  ConfRecord defaults_;
  std::vector<Group> groups_;
  absl::flat_hash_map<std::string, Node> nodes_;
  absl::flat_hash_map<std::string, ConfRecord> sets_;
  std::optional<NodeTotals> totals_;
  absl::flat_hash_set<std::string> gres_;  // Their names in all lines.
  size_t bytes_ = 0;                       // Of the settings of all lines.
  int64_t named_ = 0;                      // Hosts in all lines, with duplicates.
  int64_t partition_hosts_ = 0;
  int32_t counting_ = 0;
};

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_NODE_LINES_H_
