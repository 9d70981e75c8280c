#include "storage/snapshot_store.h"

#include <algorithm>

#include "storage/amount_columns.h"

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
constexpr char kDeleteFactors[] = "DELETE FROM priorityd.association_factor WHERE cluster_id = $1";
constexpr char kInsertFactors[] =
    "INSERT INTO priorityd.association_factor (cluster_id, association_id, norm_shares, "
    "raw_usage, norm_usage, effective_usage, level_fs, fair_share, tres_ids, tres_seconds, "
    "wall_seconds) "
    "SELECT $1::integer, id, norm_shares, raw_usage, norm_usage, effective_usage, level_fs, "
    "fair_share, tres_ids::integer[], tres_seconds::double precision[], wall_seconds "
    "FROM unnest($2::bigint[], $3::double precision[], $4::double precision[], "
    "$5::double precision[], $6::double precision[], $7::double precision[], "
    "$8::double precision[], $9::text[], $10::text[], $11::double precision[]) "
    "AS given (id, norm_shares, raw_usage, norm_usage, effective_usage, level_fs, fair_share, "
    "tres_ids, tres_seconds, wall_seconds)";
constexpr char kListFactors[] =
    "SELECT association_id, norm_shares, raw_usage, norm_usage, effective_usage, level_fs, "
    "fair_share, tres_ids, tres_seconds, wall_seconds FROM priorityd.association_factor "
    "WHERE cluster_id = $1 ORDER BY association_id";
constexpr char kStandings[] =
    "SELECT c.name, coalesce(s.generation, 0), coalesce(s.computed_at, '-infinity'), "
    "coalesce(r.revision, 0) FROM priorityd.cluster c "
    "LEFT JOIN priorityd.configuration_revision r ON r.cluster_id = c.id "
    "LEFT JOIN LATERAL (SELECT generation, computed_at FROM priorityd.snapshot "
    "WHERE cluster_id = c.id ORDER BY generation DESC LIMIT 1) s ON true ORDER BY c.id";

// Rows per statement: its text stays at a few MB.
constexpr size_t kFactorsPerStatement = 20'000;

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

AssociationFactor DecodeFactor(RowReader& row) {
  AssociationFactor f;
  row.Read(&f.association_id, &f.norm_shares, &f.raw_usage, &f.norm_usage, &f.effective_usage,
           &f.level_fs, &f.fair_share, &f.tres_seconds, &f.wall_seconds);
  return f;
}

ClusterStanding DecodeStanding(RowReader& row) {
  ClusterStanding standing;
  row.Read(&standing.name, &standing.generation, &standing.computed_at, &standing.revision);
  return standing;
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

absl::Status SnapshotStore::ReplaceFactors(int32_t cluster_id,
                                           absl::Span<const AssociationFactor> factors) {
  absl::Status status = transaction_.Execute(kDeleteFactors, {cluster_id}).status();
  for (size_t first = 0; first < factors.size() && status.ok(); first += kFactorsPerStatement) {
    const auto rows = factors.subspan(first, kFactorsPerStatement);
    auto column = [&](auto field) {
      return Column(rows, [field](const AssociationFactor& row) { return row.*field; });
    };
    using Factor = AssociationFactor;
    status = transaction_
                 .Execute(kInsertFactors,
                          {cluster_id, column(&Factor::association_id),
                           column(&Factor::norm_shares), column(&Factor::raw_usage),
                           column(&Factor::norm_usage), column(&Factor::effective_usage),
                           column(&Factor::level_fs), column(&Factor::fair_share),
                           Column(rows, [](const Factor& f) { return TresIds(f.tres_seconds); }),
                           Column(rows, [](const Factor& f) { return Amounts(f.tres_seconds); }),
                           column(&Factor::wall_seconds)})
                 .status();
  }
  return status;
}

absl::StatusOr<std::vector<AssociationFactor>> SnapshotStore::ListFactors(int32_t cluster_id) {
  return transaction_.Query(DecodeFactor, kListFactors, {cluster_id});
}

absl::StatusOr<std::vector<ClusterStanding>> SnapshotStore::Standings() {
  return transaction_.Query(DecodeStanding, kStandings);
}

}  // namespace priorityd::storage
