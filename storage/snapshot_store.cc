#include "storage/snapshot_store.h"

namespace priorityd::storage {
namespace {

constexpr char kNewest[] =
    "SELECT cluster_id, generation, computed_at, coalesce(policy_version, 0) "
    "FROM priorityd.snapshot WHERE cluster_id = $1 ORDER BY generation DESC LIMIT 1";
constexpr char kAppend[] =
    "INSERT INTO priorityd.snapshot (cluster_id, generation, computed_at, policy_version) "
    "SELECT $1::integer, coalesce(max(generation), 0) + 1, $2::timestamptz, "
    "nullif($3::bigint, 0) FROM priorityd.snapshot WHERE cluster_id = $1::integer "
    "RETURNING generation";

SnapshotRecord Decode(RowReader& row) {
  SnapshotRecord snapshot;
  row.Read(&snapshot.cluster_id, &snapshot.generation, &snapshot.computed_at,
           &snapshot.policy_version);
  return snapshot;
}

int64_t DecodeGeneration(RowReader& row) {
  int64_t generation = 0;
  row.Read(&generation);
  return generation;
}

}  // namespace

absl::StatusOr<std::optional<SnapshotRecord>> SnapshotStore::Newest(int32_t cluster_id) {
  return transaction_.QueryOptional(Decode, kNewest, {cluster_id});
}

absl::StatusOr<int64_t> SnapshotStore::Append(const SnapshotRecord& snapshot) {
  return transaction_.QueryOne(
      DecodeGeneration, kAppend,
      {snapshot.cluster_id, snapshot.computed_at, snapshot.policy_version});
}

}  // namespace priorityd::storage
