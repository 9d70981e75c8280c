#include "server/usage/rule_change.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_set.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::usage {
namespace {

constexpr storage::UsageOf kOfAssociation = storage::UsageOf::kAssociation;
constexpr storage::UsageOf kQos = storage::UsageOf::kQos;

constexpr int kMostReads = 2;

// Smaller differences are due to rounding alone.
constexpr double kNoise = 1e-12;

// Whether the row, valid under `before`, is invalid under `after`, apart from manual resets.
bool Differs(storage::UsageOf of, const storage::UsageRow& row, const DecayRules& before,
             const DecayRules& after) {
  if (row.as_of == absl::InfinitePast()) return false;
  const bool is_qos = of == storage::UsageOf::kQos;
  return before.timeline != after.timeline ||
         (is_qos && before.no_decay_qos.contains(row.id) != after.no_decay_qos.contains(row.id)) ||
         priority::LastReset(before.reset, row.as_of) !=
             priority::LastReset(after.reset, row.as_of);
}

bool AnyRowDiffers(storage::UsageOf of, const std::vector<storage::UsageRow>& rows,
                   const DecayRules& before, const DecayRules& after) {
  return absl::c_any_of(
      rows, [&](const storage::UsageRow& row) { return Differs(of, row, before, after); });
}

// Flags of unused QOS make no difference, and a QOS that is created again after a rollback has
// another id.
void LeaveOutUnused(const std::vector<storage::UsageRow>& qos_rows, DecayRules* rules) {
  absl::btree_set<int64_t> used;
  for (const storage::UsageRow& row : qos_rows) {
    if (rules->no_decay_qos.contains(row.id)) used.insert(row.id);
  }
  rules->no_decay_qos = std::move(used);
}

// Replaces the rows with the ids of `changed`; both are ordered by id.
void Replace(std::vector<storage::UsageRow> changed, std::vector<storage::UsageRow>* rows) {
  auto row = rows->begin();
  for (storage::UsageRow& by : changed) {
    while (row != rows->end() && row->id < by.id) ++row;
    if (row == rows->end() || row->id != by.id) row = rows->insert(row, storage::UsageRow());
    *row = std::move(by);
  }
}

// The time at which the cluster's rows are compared.
absl::Time ComparedAt(const std::optional<storage::SnapshotRecord>& last) {
  return last.has_value() ? last->computed_at : absl::InfinitePast();
}

}  // namespace

absl::Status SupposeRules(storage::Transaction& transaction, const DecayRules& before,
                          storage::ClusterState* state) {
  auto after = DecayRulesOf(*state);
  if (!after.ok()) return after.status();
  if (*after == before ||
      (!AnyRowDiffers(kOfAssociation, state->association_usage, before, *after) &&
       !AnyRowDiffers(kQos, state->qos_usage, before, *after))) {
    return absl::OkStatus();
  }
  LedgerSum sum(state->cluster.id, *std::move(after));
  if (absl::Status s = sum.ReadRest(transaction); !s.ok()) return s;
  auto differences = sum.Compare(transaction, ComparedAt(state->snapshot), {.relative = kNoise});
  if (!differences.ok()) return differences.status();
  Replace(sum.RowsOf(kOfAssociation, *differences), &state->association_usage);
  Replace(sum.RowsOf(kQos, *differences), &state->qos_usage);
  return absl::OkStatus();
}

absl::StatusOr<RuleChange> RuleChange::Begin(storage::Transaction& transaction,
                                             int32_t cluster_id) {
  auto rules = ReadDecayRules(transaction, cluster_id);
  if (!rules.ok()) return rules.status();
  return RuleChange(cluster_id, *std::move(rules));
}

absl::Status SumAhead::Read(storage::Database& database) {
  is_wanted_ = false;
  ++reads_;
  // The second call reads only what arrived during the first.
  for (int i = 0; i < 2; ++i) {
    absl::Status read = sum_->ReadAhead(database, [](const Progress&) { return absl::OkStatus(); });
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RuleChange::AnyDiffers(storage::Transaction& transaction, storage::UsageOf of,
                                            const DecayRules& after) const {
  auto rows = storage::UsageStore(transaction).List(of, cluster_id_);
  if (!rows.ok()) return rows.status();
  return AnyRowDiffers(of, *rows, before_, after);
}

absl::StatusOr<std::optional<DecayRules>> RuleChange::NeededSum(
    storage::Transaction& transaction) const {
  auto after = ReadDecayRules(transaction, cluster_id_);
  if (!after.ok()) return after.status();
  if (*after == before_) return std::optional<DecayRules>();
  auto qos_rows = storage::UsageStore(transaction).List(kQos, cluster_id_);
  if (!qos_rows.ok()) return qos_rows.status();
  LeaveOutUnused(*qos_rows, &*after);
  absl::StatusOr<bool> differs = AnyRowDiffers(kQos, *qos_rows, before_, *after);
  const bool for_associations =
      before_.timeline != after->timeline || !(before_.reset == after->reset);
  if (!*differs && for_associations) differs = AnyDiffers(transaction, kOfAssociation, *after);
  if (!differs.ok()) return differs.status();
  if (!*differs) return std::optional<DecayRules>();
  return std::optional<DecayRules>(*std::move(after));
}

absl::StatusOr<bool> RuleChange::Fits(storage::Transaction& transaction, const SumAhead& ahead,
                                      const DecayRules& needed) const {
  if (!ahead.sum_.has_value() || !(ahead.sum_->decay().rules() == needed)) return false;
  absl::StatusOr<bool> is_stale = ahead.sum_->IsStale(transaction);
  if (!is_stale.ok()) return is_stale.status();
  return !*is_stale;
}

absl::Status RuleChange::Finish(storage::Transaction& transaction, SumAhead* ahead) const {
  auto needed = NeededSum(transaction);
  if (!needed.ok()) return needed.status();
  if (!needed->has_value()) return absl::OkStatus();
  const absl::StatusOr<bool> fits = Fits(transaction, *ahead, **needed);
  if (!fits.ok()) return fits.status();
  if (!*fits) ahead->sum_.emplace(cluster_id_, **std::move(needed));
  if (!*fits && ahead->reads_ < kMostReads) {
    ahead->is_wanted_ = true;
    return absl::CancelledError("the ledger must be summed up first");
  }
  LedgerSum sum = *ahead->sum_;
  auto snapshot = storage::SnapshotStore(transaction).Newest(cluster_id_);
  if (!snapshot.ok()) return snapshot.status();
  if (absl::Status s = sum.ReadRest(transaction); !s.ok()) return s;
  auto differences = sum.Compare(transaction, ComparedAt(*snapshot), {.relative = kNoise});
  if (!differences.ok()) return differences.status();
  return sum.Write(transaction, *differences);
}

}  // namespace priorityd::usage
