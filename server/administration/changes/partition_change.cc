#include "server/administration/changes/partition_change.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/errors/violations.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"
#include "server/administration/settings/newest_policy.h"
#include "server/administration/settings/to_storage.h"
#include "server/configuration/stored_policy.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/qos_references.h"

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
                                       ", want an existing partition")),
      "UNKNOWN_PARTITION");
}

// `present` after the settings.
absl::StatusOr<priority::Partition> Changed(storage::Transaction& transaction,
                                            const storage::Partition& present,
                                            const std::vector<Setting>& settings,
                                            ChangeList* list) {
  auto changed = ApplySettings(settings, present);
  if (!changed.ok()) return changed.status();
  for (const std::string& warning : changed->warnings) list->Warn(warning);
  if (!changed->nodes.has_value()) return changed->partition;
  auto files = NewestPolicyFiles(transaction, present.cluster_id);
  if (!files.ok()) return files.status();
  absl::Status set = SetNodes(*changed->nodes, *std::move(files), &changed->partition);
  if (set.ok()) return changed->partition;
  return errors::BadRequestError("INVALID_FIELD",
                                 {{changed->nodes_field, std::string(set.message())}});
}

// Updates a partition, or creates it (id 0), and records the change.
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

// There is one default: clears the flag of the others in `all`.
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
                            ": applying it again overrides this change"));
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
    if (before.id != 0) list->Meant({.kind = "partition", .partition = names[i]});
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
