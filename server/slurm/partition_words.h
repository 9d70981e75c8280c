// The words of a partition: those of slurm.conf's PartitionName line, which scontrol's update takes
// too.
#ifndef PRIORITYD_SERVER_SLURM_PARTITION_WORDS_H_
#define PRIORITYD_SERVER_SLURM_PARTITION_WORDS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
#include "server/priority/cluster.h"

namespace priorityd::slurm {

struct PartitionWord {
  absl::string_view name;
  bool is_list = false;  // Of names.
};

// The word for what was typed: in any case, or so much of it that it can be no other; `Nodes` too.
// INVALID_ARGUMENT `got "x", want ...`.
absl::StatusOr<PartitionWord> FindPartitionWord(absl::string_view typed);

// Word to text of what is set, but for Nodes, of which only totals are known. ReadPartition makes
// the same partition of it.
std::map<std::string, std::string> PartitionCells(const priority::Partition& partition);

// What is known of its nodes: TotalNodes, TotalCPUs, TRES. For those who look; no words of a line.
std::map<std::string, std::string> NodeCells(const priority::Partition& partition);

struct ReadPartitionResult {
  priority::Partition partition;  // Without nodes and their TRES.
  std::vector<std::string> warnings;
};

// The partition of a line with these words, none of them Nodes. INVALID_ARGUMENT carries a list of
// violations whose descriptions begin with the word: `MaxTime: got ...`.
absl::StatusOr<ReadPartitionResult> ReadPartition(const std::string& name,
                                                  const std::map<std::string, std::string>& cells);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_PARTITION_WORDS_H_
