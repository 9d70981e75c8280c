#include "server/administration/imports/export.h"

#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/dump/qos_table_writer.h"
#include "engine/slurm/dump/sacctmgr_dump_writer.h"
#include "server/administration/changes/configuration_change.h"
#include "server/administration/frame/configured_cluster.h"
#include "server/administration/imports/own_objects_import.h"
#include "server/administration/settings/from_storage.h"
#include "server/administration/settings/to_storage.h"
#include "server/administration/tree/tree_slice.h"
#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;

// By id, but parents before their children.
std::vector<const Row*> InOrder(const std::vector<Row>& rows) {
  std::map<int64_t, std::vector<const Row*>> children;
  std::map<int64_t, const Row*> by_id;
  for (const Row& row : rows) {
    by_id[row.id] = &row;
    if (row.parent_id.has_value()) children[*row.parent_id].push_back(&row);
  }
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ready;
  for (const Row& row : rows) {
    if (!row.parent_id.has_value()) ready.push(row.id);
  }
  std::vector<const Row*> order;
  while (!ready.empty()) {
    order.push_back(by_id[ready.top()]);
    ready.pop();
    for (const Row* child : children[order.back()->id]) ready.push(child->id);
  }
  return order;
}

void AddUser(const storage::ClusterUser& user, slurm::DumpAssociation* line) {
  line->default_account = user.default_account;
  line->admin_level = user.admin_level;
  if (user.coordinated.empty()) return;
  line->other_options.push_back({"Coordinator", absl::StrJoin(user.coordinated, ",")});
}

// Older imports also stored it with the association.
void RemoveCoordinator(slurm::DumpAssociation* line) {
  std::vector<slurm::DumpOption> kept;
  for (slurm::DumpOption& option : line->other_options) {
    if (!IsCoordinatorOption(option.name)) kept.push_back(std::move(option));
  }
  line->other_options = std::move(kept);
}

slurm::QosRow FromStorage(const storage::Qos& qos) {
  slurm::QosRow row;
  row.qos = configuration::ToEngine(qos);
  row.grp_tres_mins = row.qos.grp_tres_mins;
  row.grp_wall = row.qos.grp_wall;
  row.max_submit_jobs_per_user = row.qos.max_submit_jobs_per_user;
  row.flags = qos.flags;
  for (const storage::KeyValue& limit : qos.other_limits) {
    row.others.emplace_back(limit.key, limit.value);
  }
  return row;
}

absl::StatusOr<SiteFile> DumpFile(storage::Transaction& transaction,
                                  const storage::Cluster& cluster) {
  auto rows = storage::AssociationStore(transaction).List(cluster.id);
  if (!rows.ok()) return rows.status();
  auto users = storage::ClusterUserStore(transaction).List(cluster.id);
  if (!users.ok()) return users.status();
  const slurm::SacctmgrDump dump = ToDump(cluster.name, *std::move(rows), *users);
  return SiteFile{{absl::StrCat(cluster.name, ".cfg"), slurm::WriteSacctmgrDump(dump)},
                  FileKind::kSacctmgrDump};
}

absl::StatusOr<SiteFile> QosFile(storage::Transaction& transaction,
                                 const storage::Cluster& cluster) {
  auto stored = storage::QosStore(transaction).List(cluster.id);
  if (!stored.ok()) return stored.status();
  std::vector<slurm::QosRow> rows;
  for (const storage::Qos& qos : *stored) rows.push_back(FromStorage(qos));
  return SiteFile{{absl::StrCat(cluster.name, ".qos"), slurm::WriteQosTable(rows)}, FileKind::kQos};
}

// Adds the file of what Slurm's files have no place for, if there is something.
absl::Status AddOwnFile(storage::Transaction& transaction, const storage::Cluster& cluster,
                        const std::optional<storage::PolicyVersion>& policy, absl::Time now,
                        ExportedSite* site) {
  const auto conf = configuration::ParseStored(policy);
  if (!conf.ok()) return conf.status();
  const auto time = ClusterTime(transaction, cluster.id, (*conf)->policy.clock, now);
  if (!time.ok()) return time.status();
  const auto objects = ReadStoredObjects(transaction, cluster.id, *time);
  if (!objects.ok()) return objects.status();
  if (objects->empty()) return absl::OkStatus();
  site->files.push_back({{absl::StrCat(cluster.name, ".priorityd"), WriteOwnObjects(*objects)},
                         FileKind::kPriorityd});
  return absl::OkStatus();
}

absl::StatusOr<ExportedSite> Read(storage::Transaction& transaction, const std::string& name,
                                  absl::Time now) {
  auto found = FindWithEtag(transaction, name);
  if (!found.ok()) return found.status();
  const storage::Cluster& cluster = found->cluster;
  ExportedSite site{.etag = std::move(found->etag)};
  auto dump = DumpFile(transaction, cluster);
  if (!dump.ok()) return dump.status();
  auto qos = QosFile(transaction, cluster);
  if (!qos.ok()) return qos.status();
  auto policy = storage::PolicyStore(transaction).Newest(cluster.id);
  if (!policy.ok()) return policy.status();
  if (policy->has_value()) {
    for (const storage::PolicyFile& file : (*policy)->files) {
      site.files.push_back({{file.name, file.content}, FileKind::kSlurmConf});
    }
  }
  site.files.push_back(*std::move(qos));
  site.files.push_back(*std::move(dump));
  if (absl::Status s = AddOwnFile(transaction, cluster, *policy, now, &site); !s.ok()) return s;
  return site;
}

}  // namespace

slurm::SacctmgrDump ToDump(const std::string& cluster, std::vector<Row> rows,
                           const std::vector<storage::ClusterUser>& users) {
  std::map<std::string, const storage::ClusterUser*> by_name;
  for (const storage::ClusterUser& user : users) by_name[user.name] = &user;
  std::map<int64_t, std::string> accounts;
  for (const Row& row : rows) accounts[row.id] = row.account;
  slurm::SacctmgrDump dump;
  dump.cluster = cluster;
  for (const Row* row : InOrder(rows)) {
    slurm::DumpAssociation line = FromStorage(*row);
    if (IsRoot(*row)) {
      dump.root = std::move(line);
      continue;
    }
    line.parent_account = accounts[row->parent_id.value_or(0)];
    RemoveCoordinator(&line);
    const auto user = by_name.find(row->user_name);
    if (user != by_name.end()) AddUser(*user->second, &line);
    dump.associations.push_back(std::move(line));
  }
  return dump;
}

absl::StatusOr<ExportedSite> ExportSite(storage::Database& database, const std::string& cluster,
                                        absl::Time now) {
  return database.Read(
      [&](storage::Transaction& transaction) { return Read(transaction, cluster, now); });
}

}  // namespace priorityd::administration
