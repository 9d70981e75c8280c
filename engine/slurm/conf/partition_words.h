// The settings of a partition: those of slurm.conf's PartitionName line, also used by scontrol
// update.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_PARTITION_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_PARTITION_WORDS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/cluster.h"

namespace priorityd::slurm {

struct PartitionWord {
  absl::string_view name;
  bool is_list = false;  // Of names.
};

// The word for `typed`: case-insensitive, or an unambiguous abbreviation; includes `Nodes`.
// INVALID_ARGUMENT `got "x", want ...`.
absl::StatusOr<PartitionWord> FindPartitionWord(absl::string_view typed);

// The settings, word to text, without Nodes, of which only totals are known. ReadPartition returns
// the same partition.
std::map<std::string, std::string> PartitionCells(const priority::Partition& partition);

// The totals of its nodes, for display: TotalNodes, TotalCPUs, TRES. They are not settings.
std::map<std::string, std::string> NodeCells(const priority::Partition& partition);

struct ReadPartitionResult {
  priority::Partition partition;  // Without nodes and their TRES.
  std::vector<std::string> warnings;
};

// The partition with these settings, without Nodes. INVALID_ARGUMENT has a list of violations whose
// descriptions begin with the word: `MaxTime: got ...`.
absl::StatusOr<ReadPartitionResult> ReadPartition(const std::string& name,
                                                  const std::map<std::string, std::string>& cells);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_PARTITION_WORDS_H_
