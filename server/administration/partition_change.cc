#include "server/administration/partition_change.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/administration/list_setting.h"
#include "server/administration/to_storage.h"
#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"
#include "server/errors/error_details.h"
#include "server/errors/violations.h"
#include "server/slurm/file_violations.h"
#include "server/slurm/name.h"
#include "server/slurm/partition_words.h"
#include "server/slurm/slurm_conf.h"
#include "storage/policy_store.h"
#include "storage/qos_references.h"

namespace priorityd::administration {
namespace {

using NameList = std::vector<std::string>;
using Partitions = std::vector<storage::Partition>;

std::string PartitionObject(const std::string& name) { return absl::StrCat("partition ", name); }

Partitions::iterator Find(Partitions& all, const std::string& name) {
  return absl::c_find_if(all, [&](const storage::Partition& row) { return row.name == name; });
}

absl::Status UnknownPartition(size_t i, const std::string& name) {
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("names[", i, "]: got ", slurm::Quoted(name),
                                       ", want a partition that is there")),
      "UNKNOWN_PARTITION");
}

// What settings say, word by word.
struct Wanted {
  std::map<std::string, std::string> cells;  // After them.
  std::map<std::string, size_t> setting_of;  // By word, the last one.
  std::optional<std::string> nodes;
};

absl::Status TakeSettings(const std::vector<Setting>& settings, Wanted* wanted) {
  errors::Violations violations;
  for (size_t i = 0; i < settings.size(); ++i) {
    const Setting& setting = settings[i];
    const std::string field = absl::StrCat("settings[", i, "]");
    const auto word = slurm::FindPartitionWord({setting.name.data(), setting.name.size()});
    if (!word.ok()) {
      violations.Add(field + ".name", word.status().message());
      continue;
    }
    const std::string name(word->name);
    if (setting.op != SettingOperator::kSet && !word->is_list) {
      violations.Add(field + ".operator", absl::StrCat("got += or -= for ", name, ", want ="));
      continue;
    }
    wanted->setting_of[name] = i;
    if (name == "Nodes") {
      wanted->nodes = setting.value;
      continue;
    }
    std::string& cell = wanted->cells[name];
    cell = word->is_list ? ChangedNames(cell, setting) : setting.value;
    if (cell.empty()) wanted->cells.erase(name);
  }
  return violations.ToStatus();
}

// The violations of a partition's words as those of the settings that said them.
absl::Status OfSettings(const absl::Status& status, const Wanted& wanted) {
  errors::Violations violations;
  for (const errors::FieldViolation& violation : errors::ViolationsOf(status)) {
    const std::string word = violation.description.substr(0, violation.description.find(':'));
    const auto setting = wanted.setting_of.find(word);
    violations.Add(setting == wanted.setting_of.end()
                       ? "settings"
                       : absl::StrCat("settings[", setting->second, "].value"),
                   violation.description);
  }
  return violations.empty() ? status : violations.ToStatus();
}

// The newest policy, as it was applied.
absl::StatusOr<std::vector<slurm::SourceFile>> PolicyFiles(storage::Transaction& transaction,
                                                           int32_t cluster_id) {
  auto policy = storage::PolicyStore(transaction).Newest(cluster_id);
  if (!policy.ok()) return policy.status();
  std::vector<slurm::SourceFile> files;
  if (policy->has_value()) {
    for (storage::PolicyFile& file : (*policy)->files) {
      files.push_back({std::move(file.name), std::move(file.content)});
    }
  }
  if (files.empty()) files.push_back({"slurm.conf", ""});
  return files;
}

// Sets the nodes to those that the policy's lines call `nodes`.
absl::Status SetNodes(storage::Transaction& transaction, int32_t cluster_id,
                      const std::string& nodes, priority::Partition* partition) {
  if (nodes.find_first_of(" \t\r\n\\\"'#") != std::string::npos) {
    return slurm::Unexpected(nodes, "a list of nodes such as n[1-4],gpu1");
  }
  auto files = PolicyFiles(transaction, cluster_id);
  if (!files.ok()) return files.status();
  // The last line of a partition holds.
  absl::StrAppend(&files->front().content, "\nPartitionName=", partition->name, " Nodes=", nodes,
                  "\n");
  const absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf(*files);
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

// `present` after the settings.
absl::StatusOr<priority::Partition> Changed(storage::Transaction& transaction,
                                            const storage::Partition& present,
                                            const std::vector<Setting>& settings,
                                            ChangeList* list) {
  const priority::Partition before = configuration::ToEngine(present);
  Wanted wanted{slurm::PartitionCells(before), {}, {}};
  if (absl::Status s = TakeSettings(settings, &wanted); !s.ok()) return s;
  auto read = slurm::ReadPartition(present.name, wanted.cells);
  if (!read.ok()) return OfSettings(read.status(), wanted);
  for (const std::string& warning : read->warnings) list->Warn(warning);
  priority::Partition after = std::move(read->partition);
  after.nodes = before.nodes;
  after.tres = before.tres;
  if (!wanted.nodes.has_value()) return after;
  absl::Status set = SetNodes(transaction, present.cluster_id, *wanted.nodes, &after);
  if (set.ok()) return after;
  return errors::BadRequestError("INVALID_FIELD",
                                 {{absl::StrCat("settings[", wanted.setting_of["Nodes"], "].value"),
                                   std::string(set.message())}});
}

// Writes one that is there, or creates it (id 0), and tells it.
absl::Status Write(storage::PartitionStore& store, const storage::Partition& before,
                   storage::Partition after, ChangeList* list) {
  if (before.id == 0) {
    list->Created(PartitionObject(after.name), AttributesOf(after));
    return store.Insert(after).status();
  }
  after.id = before.id;
  list->Updated(PartitionObject(after.name), AttributesOf(before), AttributesOf(after));
  return AttributesOf(before) == AttributesOf(after) ? absl::OkStatus() : store.Update(after);
}

// There is one default: the others of `all` are none any more.
absl::Status KeepOneDefault(storage::PartitionStore& store, const std::string& name,
                            Partitions* all, ChangeList* list) {
  for (storage::Partition& other : *all) {
    if (other.name == name || !other.is_default) continue;
    const storage::Partition before = other;
    other.is_default = false;
    if (absl::Status s = Write(store, before, other, list); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status WarnOfPolicy(storage::Transaction& transaction, int32_t cluster_id,
                          const NameList& names, ChangeList* list) {
  auto policy = storage::PolicyStore(transaction).Newest(cluster_id);
  if (!policy.ok()) return policy.status();
  const auto conf = configuration::ParseStored(*policy);
  if (!conf.ok()) return conf.status();
  for (const priority::Partition& partition : (*conf)->partitions) {
    if (!absl::c_linear_search(names, partition.name)) continue;
    list->Warn(absl::StrCat("the slurm.conf applied last names partition ", partition.name,
                            ": applied again it has the last word"));
  }
  return absl::OkStatus();
}

absl::Status CheckNewName(size_t i, const std::string& name) {
  absl::Status status = slurm::CheckName({name.data(), name.size()});
  const bool is_one = !name.empty() && name.find(',') == std::string::npos &&
                      !absl::EqualsIgnoreCase(name, "DEFAULT");
  if (status.ok() && !is_one) status = slurm::Unexpected(name, "the name of one partition");
  if (status.ok()) return status;
  return errors::BadRequestError("INVALID_FIELD",
                                 {{absl::StrCat("names[", i, "]"), std::string(status.message())}});
}

}  // namespace

Attributes AttributesOf(const storage::Partition& row) {
  const priority::Partition partition = configuration::ToEngine(row);
  Attributes attributes = slurm::PartitionCells(partition);
  attributes.merge(slurm::NodeCells(partition));
  return attributes;
}

absl::Status UpdatePartitions(storage::Transaction& transaction, const storage::Cluster& cluster,
                              const NameList& names, const std::vector<Setting>& settings,
                              bool create, ChangeList* list) {
  storage::PartitionStore store(transaction);
  auto all = store.List(cluster.id);
  if (!all.ok()) return all.status();
  for (size_t i = 0; i < names.size(); ++i) {
    auto found = Find(*all, names[i]);
    if (found == all->end()) {
      if (!create) return UnknownPartition(i, names[i]);
      if (absl::Status s = CheckNewName(i, names[i]); !s.ok()) return s;
      found = all->insert(all->end(), {.cluster_id = cluster.id, .name = names[i]});
    }
    const storage::Partition before = *found;
    auto changed = Changed(transaction, before, settings, list);
    if (!changed.ok()) return changed.status();
    *found = ToStorage(cluster.id, *changed);
    found->id = before.id;
    if (absl::Status s = Write(store, before, *found, list); !s.ok()) return s;
    if (!found->is_default || before.is_default) continue;
    if (absl::Status s = KeepOneDefault(store, names[i], &*all, list); !s.ok()) return s;
  }
  return WarnOfPolicy(transaction, cluster.id, names, list);
}

absl::Status DeletePartitions(storage::Transaction& transaction, const storage::Cluster& cluster,
                              const NameList& names, absl::Time now, ChangeList* list) {
  storage::PartitionStore store(transaction);
  auto all = store.List(cluster.id);
  if (!all.ok()) return all.status();
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = Find(*all, names[i]);
    if (found == all->end()) return UnknownPartition(i, names[i]);
    list->Deleted(PartitionObject(names[i]), AttributesOf(*found));
    if (absl::Status s = store.Delete(cluster.id, found->id, now); !s.ok()) return s;
    all->erase(found);
  }
  auto jobs = storage::QosReferences(transaction).CountJobsOfPartitions(cluster.id, names);
  if (!jobs.ok()) return jobs.status();
  if (*jobs > 0) list->Warn(absl::StrCat("tracked jobs that name them: ", *jobs));
  return WarnOfPolicy(transaction, cluster.id, names, list);
}

}  // namespace priorityd::administration
