#include "server/administration/imports/qos_import.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "server/administration/settings/to_storage.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::administration {
namespace {

// `row`, with the attributes of `qos` that have no column in the table.
void Overlay(const slurm::QosTable& table, const slurm::QosRow& row, storage::Qos* qos) {
  qos->name = row.qos.name;
  if (table.HasColumn("Priority")) qos->priority = row.qos.priority;
  if (table.HasColumn("UsageFactor")) qos->usage_factor = row.qos.usage_factor;
  if (table.HasColumn("UsageThres")) qos->usage_threshold = row.qos.usage_threshold;
  if (table.HasColumn("Preempt")) qos->preempt = row.qos.preempt;
  if (table.HasColumn("Flags")) qos->flags = row.flags;
  if (table.HasColumn("GrpTRESMins")) qos->grp_tres_mins = ToStorage(row.grp_tres_mins);
  if (table.HasColumn("GrpWall")) qos->grp_wall_minutes = ToMinutes(row.grp_wall);
  if (table.HasColumn("MaxSubmitPU")) qos->max_submit_jobs_per_user = row.max_submit_jobs_per_user;
  auto& limits = qos->other_limits;
  const auto has_column = [&](const storage::KeyValue& limit) {
    return table.HasColumn(limit.key);
  };
  limits.erase(std::remove_if(limits.begin(), limits.end(), has_column), limits.end());
  for (const auto& [column, value] : row.others) limits.push_back({column, value});
}

}  // namespace

absl::StatusOr<Counts> ImportQos(storage::Transaction& transaction, int32_t cluster_id,
                                 const slurm::QosTable& table, bool clean, absl::Time now,
                                 ImportAudit* audit) {
  storage::QosStore store(transaction);
  absl::StatusOr<std::vector<storage::Qos>> current = store.List(cluster_id);
  if (!current.ok()) return current.status();
  absl::flat_hash_map<std::string, const storage::Qos*> by_name;
  for (const storage::Qos& qos : *current) by_name[qos.name] = &qos;
  std::vector<storage::Qos> wanted;
  for (const slurm::QosRow& row : table.rows) {
    const auto found = by_name.find(row.qos.name);
    storage::Qos qos = found == by_name.end() ? storage::Qos() : *found->second;
    qos.cluster_id = cluster_id;
    Overlay(table, row, &qos);
    wanted.push_back(std::move(qos));
  }
  return Reconcile(store, *current, std::move(wanted), clean, now,
                   [audit](const storage::Qos* before, const storage::Qos* after) {
                     RecordChange(before, after, audit);
                   });
}

absl::StatusOr<std::vector<std::string>> CreateMissingQos(storage::Transaction& transaction,
                                                          int32_t cluster_id,
                                                          std::vector<std::string> names,
                                                          ImportAudit* audit) {
  storage::QosStore store(transaction);
  absl::StatusOr<std::vector<storage::Qos>> current = store.List(cluster_id);
  if (!current.ok()) return current.status();
  absl::flat_hash_set<std::string> known;
  for (const storage::Qos& qos : *current) known.insert(qos.name);
  std::sort(names.begin(), names.end());
  std::vector<std::string> created;
  for (const std::string& name : names) {
    if (!known.insert(name).second) continue;
    storage::Qos qos;
    qos.cluster_id = cluster_id;
    qos.name = name;
    if (auto id = store.Insert(qos); !id.ok()) return id.status();
    RecordChange(nullptr, &qos, audit);
    created.push_back(name);
  }
  return created;
}

}  // namespace priorityd::administration
