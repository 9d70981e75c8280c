// Converts between stored partitions and scontrol's words, without I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_PARTITION_SETTINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_PARTITION_SETTINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/priority/site/cluster.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/partition_store.h"

namespace priorityd::administration {

// Its settings, and the totals of its nodes.
Attributes AttributesOf(const storage::Partition& partition);

struct ChangedPartition {
  priority::Partition partition;  // With its previous nodes.
  std::vector<std::string> warnings;
  // For SetNodes; unset = unchanged. `nodes_field`: the field of the request, for errors.
  std::optional<std::string> nodes;
  std::string nodes_field;
};

// Applies `settings` to `present` in order. INVALID_ARGUMENT with the fields `settings[0].name`,
// `.operator` and `.value`.
absl::StatusOr<ChangedPartition> ApplySettings(const std::vector<Setting>& settings,
                                               const storage::Partition& present);

// Sets the nodes to those of the policy's lines that `nodes` names. INVALID_ARGUMENT. REQUIRES:
// policy is not empty.
absl::Status SetNodes(const std::string& nodes, std::vector<slurm::SourceFile> policy,
                      priority::Partition* partition);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_PARTITION_SETTINGS_H_
