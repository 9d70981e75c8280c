#include "storage/snapshots/snapshot_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kNewest[] =
    "SELECT cluster_id, generation, computed_at, coalesce(policy_version, 0), linear_capacity "
    "FROM priorityd.snapshot WHERE cluster_id = $1 ORDER BY generation DESC LIMIT 1";
constexpr char kAppend[] =
    "INSERT INTO priorityd.snapshot (cluster_id, generation, computed_at, policy_version, "
    "linear_capacity) "
    "SELECT $1::integer, coalesce(max(generation), 0) + 1, $2::timestamptz, "
    "nullif($3::bigint, 0), $4::double precision FROM priorityd.snapshot WHERE cluster_id = "
    "$1::integer "
    "RETURNING generation";
constexpr char kDeleteFactors[] = "DELETE FROM priorityd.association_factor WHERE cluster_id = $1";
constexpr char kStandings[] =
    "SELECT c.name, coalesce(s.generation, 0), coalesce(s.computed_at, '-infinity'), "
    "coalesce(r.revision, 0), coalesce(p.generation = s.generation AND "
    "p.numbers_generation <> p.generation AND p.numbers_wanted_until > now(), false), c.id FROM "
    "priorityd.cluster c "
    "LEFT JOIN priorityd.configuration_revision r ON r.cluster_id = c.id "
    "LEFT JOIN priorityd.publication p ON p.cluster_id = c.id "
    "LEFT JOIN LATERAL (SELECT generation, computed_at FROM priorityd.snapshot "
    "WHERE cluster_id = c.id ORDER BY generation DESC LIMIT 1) s ON true";

constexpr char kDeleteQosUsage[] = "DELETE FROM priorityd.snapshot_qos_usage WHERE cluster_id = $1";
constexpr char kDeleteReserves[] = "DELETE FROM priorityd.snapshot_reserve WHERE cluster_id = $1";
constexpr char kDeleteJobEnds[] =
    "DELETE FROM priorityd.snapshot_job_end j WHERE cluster_id = $1 AND NOT EXISTS "
    "(SELECT FROM unnest($2::text[]) AS given (job_id) WHERE given.job_id = j.job_id)";
constexpr char kUpsertJobEnds[] =
    "INSERT INTO priorityd.snapshot_job_end AS j (cluster_id, job_id, end_time) "
    "SELECT $1::integer, job_id, end_time "
    "FROM unnest($2::text[], $3::timestamptz[]) AS given (job_id, end_time) "
    "ON CONFLICT (cluster_id, job_id) DO UPDATE SET end_time = EXCLUDED.end_time "
    "WHERE j.end_time <> EXCLUDED.end_time";
constexpr char kListJobEnds[] =
    "SELECT job_id, end_time FROM priorityd.snapshot_job_end WHERE cluster_id = $1";

struct Statements {
  std::string standings = absl::StrCat(kStandings, " WHERE c.former_name IS NULL ORDER BY c.id");
  std::string standings_of =
      absl::StrCat(kStandings,
                   " WHERE c.name = ANY ($1::text[]) AND c.former_name IS NULL "
                   "ORDER BY c.id");
  const ColumnTable<AssociationFactor>& factors = AssociationFactorColumns();
  const ColumnTable<SnapshotQosUsage>& qos_usage = SnapshotQosUsageColumns();
  std::string list_factors = absl::StrCat("SELECT ", factors.Selected(), " FROM ", factors.Table(),
                                          " WHERE cluster_id = $1 ORDER BY association_id");
  std::string list_qos_usage =
      absl::StrCat("SELECT ", qos_usage.Selected(), " FROM ", qos_usage.Table(),
                   " WHERE cluster_id = $1 ORDER BY qos_id");
  const ColumnTable<SnapshotReserve>& reserves = SnapshotReserveColumns();
  std::string list_reserves =
      absl::StrCat("SELECT ", reserves.Selected(), " FROM ", reserves.Table(),
                   " WHERE cluster_id = $1 ORDER BY association_id");
};

const Statements& Sql() {
  static const auto* const statements = new Statements;
  return *statements;
}

SnapshotRecord DecodeSnapshot(RowReader& row) {
  SnapshotRecord snapshot;
  row.Read(&snapshot.cluster_id, &snapshot.generation, &snapshot.computed_at,
           &snapshot.policy_version, &snapshot.linear_capacity);
  return snapshot;
}

ClusterStanding DecodeStanding(RowReader& row) {
  ClusterStanding standing;
  row.Read(&standing.name, &standing.generation, &standing.computed_at, &standing.revision,
           &standing.lacks_numbers, &standing.id);
  return standing;
}

// Copies rows that belong to a cluster.
template <typename Row>
absl::Status Copy(Transaction& transaction, const ColumnTable<Row>& columns, int32_t cluster_id,
                  absl::Span<const Row> rows) {
  return transaction.Copy(columns.Table(), columns.WrittenNames({"cluster_id"}), rows.size(),
                          [&](size_t i) {
                            CopyLine line;
                            line.Add(cluster_id);
                            columns.AddTo(line, rows[i]);
                            return line;
                          });
}

}  // namespace

const ColumnTable<AssociationFactor>& AssociationFactorColumns() {
  using C = ColumnTable<AssociationFactor>;
  using F = AssociationFactor;
  static const auto* const columns = new C(
      "association_factor", {"cluster_id"},
      {C::Key<&F::association_id>("association_id"), C::Value<&F::norm_shares>("norm_shares"),
       C::Value<&F::own_usage>("own_usage"), C::Value<&F::raw_usage>("raw_usage"),
       C::Value<&F::norm_usage>("norm_usage"), C::Value<&F::effective_usage>("effective_usage"),
       C::Value<&F::level_fs>("level_fs"), C::Value<&F::fair_share>("fair_share"),
       C::ListFirst<&F::tres_seconds>("tres_ids"), C::ListSecond<&F::tres_seconds>("tres_seconds"),
       C::Value<&F::wall_seconds>("wall_seconds")});
  return *columns;
}

const ColumnTable<SnapshotQosUsage>& SnapshotQosUsageColumns() {
  using C = ColumnTable<SnapshotQosUsage>;
  using U = SnapshotQosUsage;
  static const auto* const columns = new C(
      "snapshot_qos_usage", {"cluster_id"},
      {C::Key<&U::qos_id>("qos_id"), C::Value<&U::usage>("usage"),
       C::ListFirst<&U::tres_seconds>("tres_ids"), C::ListSecond<&U::tres_seconds>("tres_seconds"),
       C::Value<&U::wall_seconds>("wall_seconds")});
  return *columns;
}

const ColumnTable<SnapshotReserve>& SnapshotReserveColumns() {
  using C = ColumnTable<SnapshotReserve>;
  using R = SnapshotReserve;
  static const auto* const columns = new C("snapshot_reserve", {"cluster_id"},
                                           {C::Key<&R::association_id>("association_id"),
                                            C::Value<&R::billing_seconds>("billing_seconds")});
  return *columns;
}

absl::StatusOr<std::optional<SnapshotRecord>> SnapshotStore::Newest(int32_t cluster_id) {
  return transaction_.QueryOptional(DecodeSnapshot, kNewest, {cluster_id});
}

absl::StatusOr<int64_t> SnapshotStore::Append(const SnapshotRecord& snapshot) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kAppend,
                               {snapshot.cluster_id, snapshot.computed_at, snapshot.policy_version,
                                snapshot.linear_capacity});
}

absl::Status SnapshotStore::ReplaceFactors(int32_t cluster_id,
                                           absl::Span<const AssociationFactor> factors) {
  absl::Status status = transaction_.Execute(kDeleteFactors, {cluster_id}).status();
  if (!status.ok() || factors.empty()) return status;
  return Copy(transaction_, AssociationFactorColumns(), cluster_id, factors);
}

absl::StatusOr<std::vector<AssociationFactor>> SnapshotStore::ListFactors(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<AssociationFactorColumns>, Sql().list_factors,
                            {cluster_id});
}

absl::Status SnapshotStore::ReplaceQosUsage(int32_t cluster_id,
                                            absl::Span<const SnapshotQosUsage> rows) {
  absl::Status status = transaction_.Execute(kDeleteQosUsage, {cluster_id}).status();
  if (!status.ok() || rows.empty()) return status;
  return Copy(transaction_, SnapshotQosUsageColumns(), cluster_id, rows);
}

absl::StatusOr<std::vector<SnapshotQosUsage>> SnapshotStore::ListQosUsage(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<SnapshotQosUsageColumns>, Sql().list_qos_usage,
                            {cluster_id});
}

absl::Status SnapshotStore::ReplaceJobEnds(int32_t cluster_id, absl::Span<const JobEnd> jobs) {
  const Parameter ids = Column(jobs, [](const JobEnd& job) { return job.job_id; });
  absl::Status status = transaction_.Execute(kDeleteJobEnds, {cluster_id, ids}).status();
  if (!status.ok() || jobs.empty()) return status;
  return transaction_
      .Execute(kUpsertJobEnds,
               {cluster_id, ids, Column(jobs, [](const JobEnd& job) { return job.end_time; })})
      .status();
}

absl::StatusOr<std::vector<JobEnd>> SnapshotStore::ListJobEnds(int32_t cluster_id) {
  return transaction_.Query(DecodeJobEnd, kListJobEnds, {cluster_id});
}

absl::Status SnapshotStore::ReplaceReserves(int32_t cluster_id,
                                            absl::Span<const SnapshotReserve> reserves) {
  absl::Status status = transaction_.Execute(kDeleteReserves, {cluster_id}).status();
  if (!status.ok() || reserves.empty()) return status;
  return Copy(transaction_, SnapshotReserveColumns(), cluster_id, reserves);
}

absl::StatusOr<std::vector<SnapshotReserve>> SnapshotStore::ListReserves(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<SnapshotReserveColumns>, Sql().list_reserves,
                            {cluster_id});
}

absl::StatusOr<std::vector<ClusterStanding>> SnapshotStore::Standings() {
  return transaction_.Query(DecodeStanding, Sql().standings);
}

absl::StatusOr<std::vector<ClusterStanding>> SnapshotStore::StandingsOf(
    const std::vector<std::string>& names) {
  return transaction_.Query(DecodeStanding, Sql().standings_of, {names});
}

}  // namespace priorityd::storage
