#include "server/administration/changes/qos_change.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "engine/errors/violations.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"
#include "server/administration/settings/qos_settings.h"
#include "server/usage/usage_reset.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/qos_references.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::administration {
namespace {

using QosNames = absl::flat_hash_set<std::string>;

constexpr size_t kMostNamed = 5;

std::string QosObject(const std::string& name) { return absl::StrCat("qos ", name); }

std::vector<storage::Qos>::iterator Find(std::vector<storage::Qos>& all, const std::string& name) {
  return absl::c_find_if(all, [&](const storage::Qos& qos) { return qos.name == name; });
}

// Whether a table of QOS, and a list of their names in a dump, preserve the name.
bool IsOneName(absl::string_view name) {
  return !name.empty() && name.find_first_of(",|") == absl::string_view::npos &&
         name.find_first_of("+-") != 0 && name == absl::StripAsciiWhitespace(name);
}

absl::Status CheckNewNames(const Names& names) {
  errors::Violations violations;
  QosNames seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string field = absl::StrCat("names[", i, "]");
    if (!IsOneName(names[i])) {
      violations.Add(field, absl::StrCat("got ", slurm::Quoted(names[i]),
                                         ", want one name without , or | in it, + or - before it, "
                                         "or blanks around it"));
    }
    if (absl::Status s = slurm::CheckName(names[i]); !s.ok()) violations.Add(field, s.message());
    if (!seen.insert(names[i]).second) {
      violations.Add(field, absl::StrCat("got ", slurm::Quoted(names[i]), " again, want it once"));
    }
  }
  return violations.ToStatus();
}

absl::Status CheckAllThere(std::vector<storage::Qos>& all, const Names& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (Find(all, names[i]) != all.end()) continue;
    return errors::WithReason(
        absl::NotFoundError(absl::StrCat("names[", i, "]: got ", slurm::Quoted(names[i]),
                                         ", want an existing QOS")),
        "UNKNOWN_QOS");
  }
  return absl::OkStatus();
}

std::string NameOf(const storage::Association& row) {
  if (row.user_name.empty()) return absl::StrCat("account ", row.account);
  return absl::StrCat("user ", row.user_name, " account ", row.account,
                      row.partition.empty() ? "" : " partition ", row.partition);
}

absl::Status CheckNoDefaults(const std::vector<storage::Association>& rows, const QosNames& names) {
  std::vector<std::string> defaults;
  for (const storage::Association& row : rows) {
    if (!row.default_qos.has_value() || !names.contains(*row.default_qos)) continue;
    defaults.push_back(absl::StrCat(*row.default_qos, " of ", NameOf(row)));
  }
  if (defaults.empty()) return absl::OkStatus();
  const size_t more = defaults.size() - std::min(kMostNamed, defaults.size());
  defaults.resize(defaults.size() - more);
  return errors::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                "names: got QOS that are defaults (", absl::StrJoin(defaults, ", "),
                                more > 0 ? absl::StrCat(" and ", more, " more") : "",
                                "), want another DefaultQOS there ", "first")),
                            "QOS_IS_DEFAULT");
}

// The list without `names`; an empty one is inherited, as in Slurm.
std::optional<std::vector<std::string>> Without(const std::vector<std::string>& list,
                                                const QosNames& names) {
  std::vector<std::string> rest;
  absl::c_copy_if(list, std::back_inserter(rest),
                  [&](const std::string& name) { return !names.contains(name); });
  if (rest.empty()) return std::nullopt;
  return rest;
}

Attributes ListOf(const char* word, const std::optional<std::vector<std::string>>& list) {
  if (!list.has_value()) return {};
  return {{word, absl::StrJoin(*list, ",")}};
}

// Removes them from associations that list one of them.
absl::Status TakeOffLists(storage::Transaction& transaction, int32_t cluster_id, const Names& names,
                          ChangeList* list) {
  auto rows = storage::QosReferences(transaction).Associations(cluster_id, names);
  if (!rows.ok()) return rows.status();
  const QosNames gone(names.begin(), names.end());
  if (absl::Status s = CheckNoDefaults(*rows, gone); !s.ok()) return s;
  for (storage::Association& row : *rows) {
    auto rest = Without(*row.qos, gone);
    list->Updated(NameOf(row), ListOf("QOS", row.qos), ListOf("QOS", rest));
    row.qos = std::move(rest);
  }
  return rows->empty() ? absl::OkStatus() : storage::AssociationStore(transaction).Update(*rows);
}

// Removes them from other QOS.
absl::Status TakeOffPreempt(storage::QosStore& store, const std::vector<storage::Qos>& all,
                            const QosNames& gone, ChangeList* list) {
  for (const storage::Qos& qos : all) {
    if (gone.contains(qos.name)) continue;
    storage::Qos changed = qos;
    changed.preempt = Without(qos.preempt, gone).value_or(std::vector<std::string>());
    if (changed == qos) continue;
    list->Updated(QosObject(qos.name), AttributesOf(qos), AttributesOf(changed));
    if (absl::Status s = store.Update(changed); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status WarnOfPartitions(storage::Transaction& transaction, int32_t cluster_id,
                              const QosNames& gone, ChangeList* list) {
  auto partitions = storage::PartitionStore(transaction).List(cluster_id);
  if (!partitions.ok()) return partitions.status();
  const auto warn = [&](const storage::Partition& partition, const char* word,
                        const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!gone.contains(name)) continue;
      list->Warn(absl::StrCat("partition ", partition.name, " still names ", name, " in ", word));
    }
  };
  for (const storage::Partition& partition : *partitions) {
    warn(partition, "AllowQos", partition.allow_qos);
    warn(partition, "DenyQos", partition.deny_qos);
    warn(partition, "QOS", {partition.qos});
  }
  return absl::OkStatus();
}

absl::Status WarnOfJobs(storage::Transaction& transaction, int32_t cluster_id, const Names& names,
                        ChangeList* list) {
  auto jobs = storage::QosReferences(transaction).CountJobs(cluster_id, names);
  if (!jobs.ok()) return jobs.status();
  if (*jobs > 0) list->Warn(absl::StrCat("tracked jobs that name them: ", *jobs));
  return absl::OkStatus();
}

}  // namespace

absl::Status CreateQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, const std::vector<Setting>& settings, ChangeList* list) {
  if (absl::Status s = CheckNewNames(names); !s.ok()) return s;
  storage::QosStore store(transaction);
  auto all = store.List(cluster.id);
  if (!all.ok()) return all.status();
  storage::Qos created;
  created.cluster_id = cluster.id;
  if (absl::Status s = ApplySettings(settings, &created); !s.ok()) return s;
  for (size_t i = 0; i < names.size(); ++i) {
    if (Find(*all, names[i]) != all->end()) {
      return absl::AlreadyExistsError(absl::StrCat("names[", i, "]: got ", slurm::Quoted(names[i]),
                                                   ", which exists, want a new QOS"));
    }
    created.name = names[i];
    if (auto id = store.Insert(created); !id.ok()) return id.status();
    all->push_back(created);
    list->Created(QosObject(names[i]), AttributesOf(created));
  }
  return CheckPreempt(*all, names);
}

absl::Status UpdateQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, const std::vector<Setting>& settings, absl::Time now,
                       ChangeList* list) {
  storage::QosStore store(transaction);
  auto all = store.List(cluster.id);
  if (!all.ok()) return all.status();
  if (absl::Status s = CheckAllThere(*all, names); !s.ok()) return s;
  const QosNames wanted(names.begin(), names.end());
  Names preempting;
  std::vector<storage::Qos> reset;
  for (storage::Qos& qos : *all) {
    if (!wanted.contains(qos.name)) continue;
    const storage::Qos before = qos;
    bool resets_usage = false;
    if (absl::Status s = ApplySettings(settings, &qos, &resets_usage); !s.ok()) return s;
    if (qos.preempt != before.preempt) preempting.push_back(qos.name);
    Attributes after = AttributesOf(qos);
    if (resets_usage) after["RawUsage"] = "0";
    list->Updated(QosObject(qos.name), AttributesOf(before), after);
    list->Meant({.kind = "qos", .qos = qos.name});
    if (resets_usage) reset.push_back(qos);
    if (resets_usage || AttributesOf(before) == AttributesOf(qos)) continue;
    if (absl::Status s = store.Update(qos); !s.ok()) return s;
  }
  if (absl::Status s = CheckPreempt(*all, preempting); !s.ok() || reset.empty()) return s;
  return usage::ResetUsageOfQos(transaction, cluster, std::move(reset), now);
}

absl::Status DeleteQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, absl::Time now, ChangeList* list) {
  storage::QosStore store(transaction);
  auto all = store.List(cluster.id);
  if (!all.ok()) return all.status();
  if (absl::Status s = CheckAllThere(*all, names); !s.ok()) return s;
  if (absl::Status s = TakeOffLists(transaction, cluster.id, names, list); !s.ok()) return s;
  const QosNames gone(names.begin(), names.end());
  if (absl::Status s = TakeOffPreempt(store, *all, gone, list); !s.ok()) return s;
  for (const storage::Qos& qos : *all) {
    if (!gone.contains(qos.name)) continue;
    list->Deleted(QosObject(qos.name), AttributesOf(qos));
    if (absl::Status s = store.Delete(cluster.id, qos.id, now); !s.ok()) return s;
  }
  if (absl::Status s = WarnOfPartitions(transaction, cluster.id, gone, list); !s.ok()) return s;
  return WarnOfJobs(transaction, cluster.id, names, list);
}

}  // namespace priorityd::administration
