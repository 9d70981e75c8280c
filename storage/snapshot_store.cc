#include "storage/snapshot_store.h"

#include "storage/amount_columns.h"

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
constexpr char kFactors[] = "priorityd.association_factor";
constexpr const char* kFactorColumns[] = {"cluster_id",      "association_id", "norm_shares",
                                          "own_usage",       "raw_usage",      "norm_usage",
                                          "effective_usage", "level_fs",       "fair_share",
                                          "tres_ids",        "tres_seconds",   "wall_seconds"};
constexpr char kListFactors[] =
    "SELECT association_id, norm_shares, own_usage, raw_usage, norm_usage, effective_usage, "
    "level_fs, "
    "fair_share, tres_ids, tres_seconds, wall_seconds FROM priorityd.association_factor "
    "WHERE cluster_id = $1 ORDER BY association_id";
constexpr char kStandings[] =
    "SELECT c.name, coalesce(s.generation, 0), coalesce(s.computed_at, '-infinity'), "
    "coalesce(r.revision, 0) FROM priorityd.cluster c "
    "LEFT JOIN priorityd.configuration_revision r ON r.cluster_id = c.id "
    "LEFT JOIN LATERAL (SELECT generation, computed_at FROM priorityd.snapshot "
    "WHERE cluster_id = c.id ORDER BY generation DESC LIMIT 1) s ON true ORDER BY c.id";

constexpr char kDeleteQosUsage[] = "DELETE FROM priorityd.snapshot_qos_usage WHERE cluster_id = $1";
constexpr char kQosUsage[] = "priorityd.snapshot_qos_usage";
constexpr const char* kQosUsageColumns[] = {"cluster_id", "qos_id",       "usage",
                                            "tres_ids",   "tres_seconds", "wall_seconds"};
constexpr char kListQosUsage[] =
    "SELECT qos_id, usage, tres_ids, tres_seconds, wall_seconds "
    "FROM priorityd.snapshot_qos_usage WHERE cluster_id = $1 ORDER BY qos_id";
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

SnapshotRecord Decode(RowReader& row) {
  SnapshotRecord snapshot;
  row.Read(&snapshot.cluster_id, &snapshot.generation, &snapshot.computed_at,
           &snapshot.policy_version, &snapshot.linear_capacity);
  return snapshot;
}

int64_t DecodeGeneration(RowReader& row) {
  int64_t generation = 0;
  row.Read(&generation);
  return generation;
}

AssociationFactor DecodeFactor(RowReader& row) {
  AssociationFactor f;
  row.Read(&f.association_id, &f.norm_shares, &f.own_usage, &f.raw_usage, &f.norm_usage,
           &f.effective_usage, &f.level_fs, &f.fair_share, &f.tres_seconds, &f.wall_seconds);
  return f;
}

SnapshotQosUsage DecodeQosUsage(RowReader& row) {
  SnapshotQosUsage usage;
  row.Read(&usage.qos_id, &usage.usage, &usage.tres_seconds, &usage.wall_seconds);
  return usage;
}

JobEnd DecodeJobEnd(RowReader& row) {
  JobEnd job;
  row.Read(&job.job_id, &job.end_time);
  return job;
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
  return transaction_.QueryOne(DecodeGeneration, kAppend,
                               {snapshot.cluster_id, snapshot.computed_at, snapshot.policy_version,
                                snapshot.linear_capacity});
}

absl::Status SnapshotStore::ReplaceFactors(int32_t cluster_id,
                                           absl::Span<const AssociationFactor> factors) {
  absl::Status status = transaction_.Execute(kDeleteFactors, {cluster_id}).status();
  if (!status.ok()) return status;
  return transaction_.Copy(kFactors, kFactorColumns, factors.size(), [&](size_t i) {
    const AssociationFactor& f = factors[i];
    CopyLine line;
    line.Add(cluster_id);
    line.Add(f.association_id);
    line.Add(f.norm_shares);
    line.Add(f.own_usage);
    line.Add(f.raw_usage);
    line.Add(f.norm_usage);
    line.Add(f.effective_usage);
    line.Add(f.level_fs);
    line.Add(f.fair_share);
    line.Add(TresIds(f.tres_seconds));
    line.Add(Amounts(f.tres_seconds));
    line.Add(f.wall_seconds);
    return line;
  });
}

absl::StatusOr<std::vector<AssociationFactor>> SnapshotStore::ListFactors(int32_t cluster_id) {
  return transaction_.Query(DecodeFactor, kListFactors, {cluster_id});
}

absl::Status SnapshotStore::ReplaceQosUsage(int32_t cluster_id,
                                            absl::Span<const SnapshotQosUsage> rows) {
  absl::Status status = transaction_.Execute(kDeleteQosUsage, {cluster_id}).status();
  if (!status.ok() || rows.empty()) return status;
  return transaction_.Copy(kQosUsage, kQosUsageColumns, rows.size(), [&](size_t i) {
    CopyLine line;
    line.Add(cluster_id);
    line.Add(rows[i].qos_id);
    line.Add(rows[i].usage);
    line.Add(TresIds(rows[i].tres_seconds));
    line.Add(Amounts(rows[i].tres_seconds));
    line.Add(rows[i].wall_seconds);
    return line;
  });
}

absl::StatusOr<std::vector<SnapshotQosUsage>> SnapshotStore::ListQosUsage(int32_t cluster_id) {
  return transaction_.Query(DecodeQosUsage, kListQosUsage, {cluster_id});
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

absl::StatusOr<std::vector<ClusterStanding>> SnapshotStore::Standings() {
  return transaction_.Query(DecodeStanding, kStandings);
}

}  // namespace priorityd::storage
