#include "server/usage/usage_rebuild.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/configuration/find_cluster.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::usage {
namespace {

constexpr int kAttempts = 3;

absl::StatusOr<storage::ClusterState> ReadState(storage::Transaction& transaction,
                                                const std::string& cluster) {
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  return storage::ReadClusterConfiguration(transaction, cluster);
}

// Empty for a missing id.
using Names = absl::flat_hash_map<int64_t, WrongRow>;

Names AssociationNames(const storage::ClusterState& state) {
  Names names;
  for (const auto* list : {&state.associations, &state.deleted_associations}) {
    for (const storage::Association& row : *list) {
      names[row.id] = {.account = row.account, .user = row.user_name, .partition = row.partition};
    }
  }
  return names;
}

Names QosNames(const storage::ClusterState& state) {
  Names names;
  for (const auto* list : {&state.qos, &state.deleted_qos}) {
    for (const storage::Qos& row : *list) names[row.id] = {.qos = row.name};
  }
  return names;
}

std::vector<WrongRow> Named(const std::vector<RowDifference>& differences,
                            const storage::ClusterState& state) {
  Names associations = AssociationNames(state);
  Names qos = QosNames(state);
  std::vector<WrongRow> wrong;
  for (const RowDifference& difference : differences) {
    Names& names = difference.of == storage::UsageOf::kQos ? qos : associations;
    WrongRow& row = wrong.emplace_back(names[difference.id]);
    row.stored = difference.stored;
    row.rebuilt = difference.rebuilt;
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

using MaybeResult = absl::StatusOr<std::optional<RebuildResult>>;

// Completes `sum` and writes; nullopt if the rules have changed since, or the ledger's horizon has
// moved. REQUIRES: the cluster is locked.
MaybeResult Finish(storage::Transaction& transaction, const RebuildRequest& request,
                   LedgerSum sum) {
  auto state = storage::ReadClusterConfiguration(transaction, request.cluster);
  if (!state.ok()) return state.status();
  absl::StatusOr<DecayRules> rules = DecayRulesOf(*state);
  if (!rules.ok()) return rules.status();
  absl::StatusOr<bool> is_stale = sum.IsStale(transaction);
  if (!is_stale.ok()) return is_stale.status();
  if (*is_stale || !(*rules == sum.decay().rules())) return std::nullopt;
  if (absl::Status s = sum.ReadRest(transaction); !s.ok()) return s;
  const absl::Time last =
      state->snapshot.has_value() ? state->snapshot->computed_at : absl::InfinitePast();
  auto differences = sum.Compare(transaction, last, {.relative = kTolerance, .rolled_up = true});
  if (!differences.ok()) return differences.status();
  RebuildResult result{sum.records(), sum.rows(), Named(*differences, *state)};
  if (request.validate_only) return result;
  if (absl::Status s = sum.Write(transaction, *differences); !s.ok()) return s;
  if (absl::Status s = Audit(transaction, request, state->cluster.id, result); !s.ok()) return s;
  return result;
}

// One attempt; nullopt as Finish.
MaybeResult Rebuild(storage::Database& database, const RebuildRequest& request,
                    ProgressReport progress) {
  auto state = database.Read(
      [&](storage::Transaction& transaction) { return ReadState(transaction, request.cluster); });
  if (!state.ok()) return state.status();
  absl::StatusOr<DecayRules> rules = DecayRulesOf(*state);
  if (!rules.ok()) return rules.status();
  LedgerSum sum(state->cluster.id, *std::move(rules));
  // The second call reads only what arrived during the first.
  for (int i = 0; i < 2; ++i) {
    if (absl::Status s = sum.ReadAhead(database, progress); !s.ok()) return s;
  }
  return database.Write([&](storage::Transaction& transaction) -> MaybeResult {
    absl::Status locked = storage::ClusterStore(transaction).Lock(state->cluster.id);
    if (!locked.ok()) return locked;
    return Finish(transaction, request, sum);
  });
}

}  // namespace

absl::StatusOr<RebuildResult> RebuildUsage(storage::Database& database,
                                           const RebuildRequest& request, ProgressReport progress) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    MaybeResult result = Rebuild(database, request, progress);
    if (!result.ok()) return result.status();
    if (result->has_value()) return **std::move(result);
  }
  return absl::AbortedError(
      "the rules of decay or the horizon of the ledger kept changing meanwhile; retry");
}

}  // namespace priorityd::usage
