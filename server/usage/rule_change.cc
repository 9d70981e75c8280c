#include "server/usage/rule_change.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/time/time.h"
#include "server/priority/usage_decay.h"
#include "storage/snapshot_store.h"
#include "storage/usage_store.h"

namespace priorityd::usage {
namespace {

// Below it rounding alone makes a difference.
constexpr double kNoise = 1e-12;

// Whether rules of all rows differ, not only when they are reset; manual resets
// left aside.
bool DecayDiffers(const DecayRules& before, const DecayRules& after) {
  return before.timeline != after.timeline || before.no_decay_qos != after.no_decay_qos;
}

// Whether some row that holds under `before` does not under `after`.
bool AnyRowDiffers(const std::vector<storage::UsageRow>& rows, const DecayRules& before,
                   const DecayRules& after) {
  const bool all = DecayDiffers(before, after);
  return absl::c_any_of(rows, [&](const storage::UsageRow& row) {
    if (row.as_of == absl::InfinitePast()) return false;
    return all || priority::LastReset(before.reset, row.as_of) !=
                      priority::LastReset(after.reset, row.as_of);
  });
}

// Puts `changed` in the place of the rows of the same ids; both are in their order.
void Replace(std::vector<storage::UsageRow> changed, std::vector<storage::UsageRow>* rows) {
  auto row = rows->begin();
  for (storage::UsageRow& by : changed) {
    while (row != rows->end() && row->id < by.id) ++row;
    if (row == rows->end() || row->id != by.id) row = rows->insert(row, storage::UsageRow());
    *row = std::move(by);
  }
}

// When rows of a cluster are compared.
absl::Time ComparedAt(const std::optional<storage::SnapshotRecord>& last) {
  return last.has_value() ? last->computed_at : absl::InfinitePast();
}

}  // namespace

absl::Status SupposeRules(storage::Transaction& transaction, const DecayRules& before,
                          storage::ClusterState* state) {
  auto after = DecayRulesOf(*state);
  if (!after.ok()) return after.status();
  if (*after == before || (!AnyRowDiffers(state->association_usage, before, *after) &&
                           !AnyRowDiffers(state->qos_usage, before, *after))) {
    return absl::OkStatus();
  }
  LedgerSum sum(state->cluster.id, *std::move(after));
  if (absl::Status s = sum.ReadRest(transaction); !s.ok()) return s;
  auto differences = sum.Compare(transaction, ComparedAt(state->snapshot), {.relative = kNoise});
  if (!differences.ok()) return differences.status();
  Replace(sum.RowsOf(storage::UsageOf::kAssociation, *differences), &state->association_usage);
  Replace(sum.RowsOf(storage::UsageOf::kQos, *differences), &state->qos_usage);
  return absl::OkStatus();
}

absl::StatusOr<RuleChange> RuleChange::Begin(storage::Transaction& transaction,
                                             int32_t cluster_id) {
  auto rules = ReadDecayRules(transaction, cluster_id);
  if (!rules.ok()) return rules.status();
  return RuleChange(cluster_id, *std::move(rules));
}

absl::StatusOr<std::optional<DecayRules>> RuleChange::NeededSum(
    storage::Transaction& transaction) const {
  auto after = ReadDecayRules(transaction, cluster_id_);
  if (!after.ok()) return after.status();
  if (*after == before_) return std::optional<DecayRules>();
  for (const storage::UsageOf of : {storage::UsageOf::kAssociation, storage::UsageOf::kQos}) {
    auto rows = storage::UsageStore(transaction).List(of, cluster_id_);
    if (!rows.ok()) return rows.status();
    if (AnyRowDiffers(*rows, before_, *after)) return std::optional<DecayRules>(*std::move(after));
  }
  return std::optional<DecayRules>();
}

absl::Status RuleChange::Finish(storage::Transaction& transaction,
                                const LedgerSum* prepared) const {
  auto needed = NeededSum(transaction);
  if (!needed.ok()) return needed.status();
  if (!needed->has_value()) return absl::OkStatus();
  auto snapshot = storage::SnapshotStore(transaction).Newest(cluster_id_);
  if (!snapshot.ok()) return snapshot.status();
  bool fits = prepared != nullptr && prepared->decay().rules() == **needed;
  if (fits) {
    absl::StatusOr<bool> is_stale = prepared->IsStale(transaction);
    if (!is_stale.ok()) return is_stale.status();
    fits = !*is_stale;
  }
  LedgerSum sum = fits ? *prepared : LedgerSum(cluster_id_, **std::move(needed));
  if (absl::Status s = sum.ReadRest(transaction); !s.ok()) return s;
  auto differences = sum.Compare(transaction, ComparedAt(*snapshot), {.relative = kNoise});
  if (!differences.ok()) return differences.status();
  return sum.Write(transaction, *differences);
}

}  // namespace priorityd::usage
