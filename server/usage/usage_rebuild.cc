#include "server/usage/usage_rebuild.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"
#include "storage/audit_store.h"
#include "storage/cluster_state.h"
#include "storage/cluster_store.h"

namespace priorityd::usage {
namespace {

constexpr int kAttempts = 3;

absl::StatusOr<storage::ClusterState> ReadState(storage::Database& database,
                                                const std::string& cluster) {
  storage::ClusterState state;
  absl::Status status = database.Read([&](storage::Transaction& transaction) {
    auto read = storage::ReadClusterConfiguration(transaction, cluster);
    if (read.ok()) state = *std::move(read);
    return read.status();
  });
  if (absl::IsNotFound(status)) return errors::WithReason(std::move(status), "UNKNOWN_CLUSTER");
  if (!status.ok()) return status;
  return state;
}

std::vector<WrongRow> Named(const std::vector<RowDifference>& differences,
                            const storage::ClusterState& state) {
  absl::flat_hash_map<int64_t, const storage::Association*> associations;
  for (const auto* list : {&state.associations, &state.deleted_associations}) {
    for (const storage::Association& row : *list) associations[row.id] = &row;
  }
  absl::flat_hash_map<int64_t, std::string> qos;
  for (const auto* list : {&state.qos, &state.deleted_qos}) {
    for (const storage::Qos& row : *list) qos[row.id] = row.name;
  }
  std::vector<WrongRow> wrong;
  for (const RowDifference& difference : differences) {
    WrongRow& row = wrong.emplace_back();
    row.stored = difference.stored;
    row.rebuilt = difference.rebuilt;
    if (difference.of == storage::UsageOf::kQos) {
      row.qos = qos[difference.id];
    } else if (const storage::Association* found = associations[difference.id]) {
      row.account = found->account;
      row.user = found->user_name;
      row.partition = found->partition;
    }
  }
  return wrong;
}

absl::Status Audit(storage::Transaction& transaction, const RebuildRequest& request,
                   int32_t cluster_id, const RebuildResult& result) {
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = request.principal;
  event.action = "RebuildUsage";
  event.object = absl::StrCat("cluster ", request.cluster);
  event.after = absl::StrCat(result.rows, " rows from ", result.records, " records, ",
                             result.wrong.size(), " were wrong");
  return storage::AuditStore(transaction).Append(event);
}

// Completes `sum` and writes; nullopt if it was summed by rules that no longer
// hold, or while the ledger's horizon moved.
absl::StatusOr<std::optional<RebuildResult>> Finish(storage::Transaction& transaction,
                                                    const RebuildRequest& request, LedgerSum sum) {
  auto state = storage::ReadClusterConfiguration(transaction, request.cluster);
  if (!state.ok()) return state.status();
  absl::StatusOr<DecayRules> rules = DecayRulesOf(*state);
  if (!rules.ok()) return rules.status();
  absl::StatusOr<bool> is_stale = sum.IsStale(transaction);
  if (!is_stale.ok()) return is_stale.status();
  if (*is_stale || !(*rules == sum.decay().rules())) return std::optional<RebuildResult>();
  if (absl::Status s = sum.ReadRest(transaction); !s.ok()) return s;
  const absl::Time last =
      state->snapshot.has_value() ? state->snapshot->computed_at : absl::InfinitePast();
  auto differences = sum.Compare(transaction, last, {.relative = kTolerance, .rolled_up = true});
  if (!differences.ok()) return differences.status();
  RebuildResult result{sum.records(), sum.rows(), Named(*differences, *state)};
  if (request.validate_only) return std::optional<RebuildResult>(std::move(result));
  if (absl::Status s = sum.Write(transaction, *differences); !s.ok()) return s;
  if (absl::Status s = Audit(transaction, request, state->cluster.id, result); !s.ok()) return s;
  return std::optional<RebuildResult>(std::move(result));
}

}  // namespace

absl::StatusOr<RebuildResult> RebuildUsage(storage::Database& database,
                                           const RebuildRequest& request, ProgressReport progress) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    absl::StatusOr<storage::ClusterState> state = ReadState(database, request.cluster);
    if (!state.ok()) return state.status();
    absl::StatusOr<DecayRules> rules = DecayRulesOf(*state);
    if (!rules.ok()) return rules.status();
    const int32_t cluster_id = state->cluster.id;
    LedgerSum sum(cluster_id, *std::move(rules));
    // The second time only what arrived during the first.
    for (int i = 0; i < 2; ++i) {
      if (absl::Status s = sum.ReadAhead(database, progress); !s.ok()) return s;
    }
    std::optional<RebuildResult> result;
    absl::Status status = database.Write([&](storage::Transaction& transaction) -> absl::Status {
      absl::Status locked = storage::ClusterStore(transaction).Lock(cluster_id);
      if (!locked.ok()) return locked;
      auto finished = Finish(transaction, request, sum);
      if (finished.ok()) result = *std::move(finished);
      return finished.status();
    });
    if (!status.ok()) return status;
    if (result.has_value()) return *std::move(result);
  }
  return absl::AbortedError(
      "the rules of decay or the horizon of the ledger kept changing meanwhile, try again");
}

}  // namespace priorityd::usage
