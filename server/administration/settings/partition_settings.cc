#include "server/administration/settings/partition_settings.h"

#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/violations.h"
#include "engine/slurm/conf/partition_words.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "server/administration/settings/list_setting.h"
#include "server/configuration/stored_rows.h"

namespace priorityd::administration {
namespace {

// The settings by word.
struct Wanted {
  std::map<std::string, std::string> cells;  // After the settings.
  std::map<std::string, size_t> setting_of;  // The last setting of each word.
  std::optional<std::string> nodes;
};

absl::Status TakeSettings(const std::vector<Setting>& settings, Wanted* wanted) {
  const auto set = [wanted](const std::string& name, bool is_list, const Setting& setting) {
    if (name == "Nodes") {
      wanted->nodes = setting.value;
      return;
    }
    std::string& cell = wanted->cells[name];
    cell = is_list ? ChangedNames(cell, setting) : setting.value;
    if (cell.empty()) wanted->cells.erase(name);
  };
  return ForEachSetting(settings, slurm::FindPartitionWord, set, &wanted->setting_of);
}

}  // namespace

Attributes AttributesOf(const storage::Partition& row) {
  const priority::Partition partition = configuration::ToEngine(row);
  Attributes attributes = slurm::PartitionCells(partition);
  attributes.merge(slurm::NodeCells(partition));
  return attributes;
}

absl::StatusOr<ChangedPartition> ApplySettings(const std::vector<Setting>& settings,
                                               const storage::Partition& present) {
  const priority::Partition before = configuration::ToEngine(present);
  Wanted wanted{slurm::PartitionCells(before), {}, {}};
  if (absl::Status s = TakeSettings(settings, &wanted); !s.ok()) return s;
  auto read = slurm::ReadPartition(present.name, wanted.cells);
  if (!read.ok()) return OfSettings(read.status(), wanted.setting_of);
  ChangedPartition changed{std::move(read->partition), std::move(read->warnings), {}, {}};
  changed.partition.nodes = before.nodes;
  changed.partition.tres = before.tres;
  if (!wanted.nodes.has_value()) return changed;
  changed.nodes = std::move(wanted.nodes);
  changed.nodes_field = absl::StrCat("settings[", wanted.setting_of["Nodes"], "].value");
  return changed;
}

absl::Status SetNodes(const std::string& nodes, std::vector<slurm::SourceFile> policy,
                      priority::Partition* partition) {
  if (nodes.find_first_of(" \t\r\n\\\"'#") != std::string::npos) {
    return slurm::Unexpected(nodes, "a list of nodes such as n[1-4],gpu1");
  }
  // The last line of a partition wins.
  absl::StrAppend(&policy.front().content, "\nPartitionName=", partition->name, " Nodes=", nodes,
                  "\n");
  const absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf(policy);
  for (const errors::FieldViolation& violation : errors::ViolationsOf(conf.status())) {
    if (!absl::StartsWith(violation.description, "Nodes: ")) continue;
    return absl::InvalidArgumentError(violation.description.substr(7));
  }
  if (!conf.ok()) return conf.status();
  for (const priority::Partition& read : conf->partitions) {
    if (read.name != partition->name) continue;
    partition->nodes = read.nodes;
    partition->tres = read.tres;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::administration
