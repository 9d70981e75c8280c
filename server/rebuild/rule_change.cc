#include "server/rebuild/rule_change.h"

#include <vector>

#include "absl/time/time.h"
#include "server/priority/usage_decay.h"
#include "storage/snapshot_store.h"
#include "storage/usage_store.h"

namespace priorityd::rebuild {
namespace {

// Below it rounding alone makes a difference.
constexpr double kNoise = 1e-12;

using recalculation::DecayRules;

// Whether some row that holds under `before` does not under `after`, manual resets
// left aside.
absl::StatusOr<bool> AnyRowDiffers(storage::Transaction& transaction, int32_t cluster_id,
                                   const DecayRules& before, const DecayRules& after) {
  const bool all = before.timeline != after.timeline || before.no_decay_qos != after.no_decay_qos;
  for (const storage::UsageOf of : {storage::UsageOf::kAssociation, storage::UsageOf::kQos}) {
    auto rows = storage::UsageStore(transaction).List(of, cluster_id);
    if (!rows.ok()) return rows.status();
    for (const storage::UsageRow& row : *rows) {
      if (row.as_of == absl::InfinitePast()) continue;
      if (all || LastReset(before.reset, row.as_of) != LastReset(after.reset, row.as_of)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<RuleChange> RuleChange::Begin(storage::Transaction& transaction,
                                             int32_t cluster_id) {
  auto rules = recalculation::ReadDecayRules(transaction, cluster_id);
  if (!rules.ok()) return rules.status();
  return RuleChange(cluster_id, *std::move(rules));
}

absl::StatusOr<std::optional<DecayRules>> RuleChange::NeededSum(
    storage::Transaction& transaction) const {
  auto after = recalculation::ReadDecayRules(transaction, cluster_id_);
  if (!after.ok()) return after.status();
  if (*after == before_) return std::optional<DecayRules>();
  absl::StatusOr<bool> differs = AnyRowDiffers(transaction, cluster_id_, before_, *after);
  if (!differs.ok()) return differs.status();
  return *differs ? std::optional<DecayRules>(*std::move(after)) : std::nullopt;
}

absl::Status RuleChange::Finish(storage::Transaction& transaction,
                                const LedgerSum* prepared) const {
  auto needed = NeededSum(transaction);
  if (!needed.ok()) return needed.status();
  if (!needed->has_value()) return absl::OkStatus();
  auto snapshot = storage::SnapshotStore(transaction).Newest(cluster_id_);
  if (!snapshot.ok()) return snapshot.status();
  const absl::Time last = snapshot->has_value() ? (*snapshot)->computed_at : absl::InfinitePast();
  bool fits = prepared != nullptr && prepared->decay().rules() == **needed;
  if (fits) {
    absl::StatusOr<bool> is_stale = prepared->IsStale(transaction);
    if (!is_stale.ok()) return is_stale.status();
    fits = !*is_stale;
  }
  LedgerSum sum = fits ? *prepared : LedgerSum(cluster_id_, **std::move(needed));
  if (absl::Status s = sum.ReadRest(transaction); !s.ok()) return s;
  auto differences = sum.Compare(transaction, last, {.relative = kNoise});
  if (!differences.ok()) return differences.status();
  return sum.Write(transaction, *differences);
}

}  // namespace priorityd::rebuild
