#include "server/administration/tree/tree_reading.h"

#include <utility>

#include "server/administration/tree/revival.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_search.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::administration {

absl::Status TreeReading::Add(absl::StatusOr<std::vector<storage::Association>> rows) {
  if (!rows.ok()) return rows.status();
  for (storage::Association& row : *rows) state_->tree.Put(std::move(row));
  return absl::OkStatus();
}

absl::Status TreeReading::Add(absl::StatusOr<std::vector<storage::ClusterUser>> users) {
  if (!users.ok()) return users.status();
  for (storage::ClusterUser& user : *users) {
    const std::string name = user.name;
    state_->users[name] = std::move(user);
  }
  return absl::OkStatus();
}

absl::Status TreeReading::AddNamed(absl::Span<const storage::AssociationName> names) {
  if (names.empty()) return absl::OkStatus();
  return Add(storage::AssociationSearch(transaction_).Named(state_->cluster_id, names));
}

absl::Status TreeReading::AddAccounts(const std::vector<std::string>& accounts) {
  std::vector<storage::AssociationName> names;
  for (const std::string& account : accounts) names.push_back({account, "", ""});
  return AddNamed(names);
}

absl::Status TreeReading::AddFitting(const storage::AssociationSeed& seed, bool with_below) {
  return Add(
      storage::AssociationSearch(transaction_).Fitting(state_->cluster_id, seed, with_below));
}

absl::Status TreeReading::AddUsers(const std::vector<std::string>& names) {
  if (names.empty()) return absl::OkStatus();
  return Add(storage::ClusterUserSearch(transaction_).Named(state_->cluster_id, names));
}

absl::Status TreeReading::AddCoordinators(const std::vector<std::string>& accounts) {
  if (accounts.empty()) return absl::OkStatus();
  return Add(storage::ClusterUserSearch(transaction_).Coordinating(state_->cluster_id, accounts));
}

absl::Status TreeReading::AddQosNames() {
  auto qos = storage::QosStore(transaction_).List(state_->cluster_id);
  if (!qos.ok()) return qos.status();
  for (const storage::Qos& row : *qos) state_->qos.insert(row.name);
  return absl::OkStatus();
}

absl::Status TreeReading::Store(storage::Transaction& transaction, int32_t cluster_id,
                                const TreePlan& plan, absl::Time now) {
  storage::AssociationStore associations(transaction);
  storage::ClusterUserStore users(transaction);
  std::vector<storage::Association> inserts = plan.inserts;
  std::vector<storage::Association> updates = plan.updates;
  absl::Status status = ReviveDeleted(transaction, cluster_id, &inserts, &updates);
  if (status.ok()) status = associations.Insert(inserts);
  if (status.ok()) status = associations.Update(updates);
  if (status.ok()) status = associations.Delete(cluster_id, plan.deletions, now);
  if (status.ok() && !plan.users.empty()) status = users.Upsert(plan.users);
  if (status.ok() && !plan.gone_users.empty()) status = users.Delete(cluster_id, plan.gone_users);
  return status;
}

}  // namespace priorityd::administration
