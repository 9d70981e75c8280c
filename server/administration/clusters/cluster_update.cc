#include "server/administration/clusters/cluster_update.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/slurm/words/numbers.h"
#include "server/administration/settings/to_storage.h"
#include "storage/configuration/audit_store.h"

namespace priorityd::administration {
namespace {

std::string Describe(const storage::Cluster& cluster) {
  std::string text = absl::StrCat("nodes=", cluster.nodes.value_or(0),
                                  " cpus=", slurm::DecimalText(cluster.cpus.value_or(0)));
  for (const storage::NamedAmount& tres : cluster.tres) {
    absl::StrAppend(&text, " ", tres.name, "=", slurm::DecimalText(tres.amount));
  }
  return text;
}

absl::StatusOr<storage::Cluster> Update(storage::Transaction& transaction,
                                        const ClusterUpdate& update, const ChangeContext& context) {
  auto opened = OpenCluster(transaction, update.name, update.allow_missing);
  if (!opened.ok()) return opened.status();
  storage::Cluster cluster = opened->cluster;
  if (update.nodes.has_value()) cluster.nodes = *update.nodes;
  if (update.cpus.has_value()) cluster.cpus = *update.cpus;
  if (update.tres.has_value()) cluster.tres = ToStorage(*update.tres);
  if (cluster == opened->cluster && !opened->created) return cluster;
  if (absl::Status s = storage::ClusterStore(transaction).Update(cluster); !s.ok()) return s;
  storage::AuditEvent event;
  event.cluster_id = cluster.id;
  event.principal = context.principal;
  event.action = "UpdateCluster";
  event.object = absl::StrCat("cluster ", cluster.name);
  if (!opened->created) event.before = Describe(opened->cluster);
  event.after = Describe(cluster);
  if (absl::Status s = storage::AuditStore(transaction).Append(event); !s.ok()) return s;
  return cluster;
}

}  // namespace

absl::StatusOr<storage::Cluster> UpdateCluster(storage::Database& database,
                                               const ClusterUpdate& update,
                                               const ChangeContext& context) {
  storage::Cluster cluster;
  absl::Status status =
      ChangeConfiguration(database, context, [&](storage::Transaction& transaction) {
        absl::StatusOr<storage::Cluster> updated = Update(transaction, update, context);
        if (updated.ok()) cluster = *std::move(updated);
        return updated.status();
      });
  if (!status.ok()) return status;
  return cluster;
}

}  // namespace priorityd::administration
