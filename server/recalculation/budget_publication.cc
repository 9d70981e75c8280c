#include "server/recalculation/budget_publication.h"

#include <set>
#include <vector>

#include "server/budgets/thresholds.h"
#include "storage/grants/budget_event_store.h"

namespace priorityd::recalculation {
namespace {

storage::BudgetThreshold ToRow(const budgets::Threshold& threshold) {
  return {threshold.account, threshold.user,    threshold.partition, threshold.qos,
          threshold.tres,    threshold.percent, threshold.grant,     threshold.grant_window};
}

budgets::Threshold FromRow(const storage::BudgetThreshold& row) {
  return {row.account, row.user_name, row.partition,  row.qos,
          row.tres,    row.percent,   row.grant_name, row.grant_window};
}

}  // namespace

absl::Status PublishBudgetEvents(storage::Transaction& transaction, int32_t cluster_id,
                                 const priority::Snapshot& snapshot,
                                 const std::vector<budgets::GrantLevel>& grants,
                                 absl::Duration retention) {
  storage::BudgetEventStore store(transaction);
  const auto rows = store.ListReported(cluster_id);
  if (!rows.ok()) return rows.status();
  std::set<budgets::Threshold> stored;
  for (const storage::BudgetThreshold& row : *rows) stored.insert(FromRow(row));
  const budgets::ThresholdChanges changes = budgets::FindChanges(snapshot, grants, stored);
  std::vector<storage::BudgetThreshold> fallen;
  for (const budgets::Threshold& threshold : changes.fallen) fallen.push_back(ToRow(threshold));
  absl::Status status = store.Forget(cluster_id, fallen);
  if (!status.ok() || changes.reached.empty()) return status;
  std::vector<storage::BudgetEvent> events;
  for (const budgets::ReachedThreshold& reached : changes.reached) {
    events.push_back({.threshold = ToRow(reached.threshold),
                      .limit_seconds = reached.limit,
                      .used_seconds = reached.used,
                      .reached_at = snapshot.computed_at()});
  }
  status = store.Append(cluster_id, events);
  if (status.ok()) status = store.DeleteBefore(cluster_id, snapshot.computed_at() - retention);
  return status;
}

}  // namespace priorityd::recalculation
