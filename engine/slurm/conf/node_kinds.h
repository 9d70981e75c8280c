// The nodes of a slurm.conf, grouped into identical ones.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_NODE_KINDS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_NODE_KINDS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// Nodes of one NodeName line in the same partitions.
struct NodeKind {
  std::string hosts;                    // An expression, as short as it can be: `n[01-16]`.
  priority::TresMap tres;               // Per node: `cpu`, `mem` if RealMemory is set, gres/*.
  std::vector<std::string> partitions;  // In the order of their lines; none = in no partition.
  // As written, by lower-case key, with those of DEFAULT lines: boards, corespersocket, feature,
  // features, gres, reason, sockets, socketsperboard, state, threadspercore, tmpdisk, weight, ...
  std::map<std::string, std::string> settings = {};
};

// The State= of a node's line: only nodes that are up start further jobs.
enum class NodeLineState { kUp, kDown, kDrain, kFail };

// Of the settings of a NodeKind; a state that is none of these, or none at all, is up.
NodeLineState LineStateOf(const std::map<std::string, std::string>& settings);

// In the order of the lines, without nodes in State=FUTURE. INVALID_ARGUMENT as in ParseSlurmConf,
// for NodeName, NodeSet and PartitionName lines only. REQUIRES: files is not empty.
absl::StatusOr<std::vector<NodeKind>> ReadNodeKinds(absl::Span<const SourceFile> files);

// A hostlist expression for these hosts; consecutive numbers at the end of names become ranges.
std::string CompressHosts(std::vector<std::string> hosts);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_NODE_KINDS_H_
