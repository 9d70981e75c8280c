#include "storage/retention_store.h"

#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

constexpr char kHorizon[] = "SELECT ledger_horizon FROM priorityd.cluster WHERE id = $1";
constexpr char kMoveHorizon[] =
    "UPDATE priorityd.cluster SET ledger_horizon = $2 WHERE id = $1 AND ledger_horizon < $2";
constexpr char kTryLock[] = "SELECT pg_try_advisory_xact_lock(7413, $1::integer)";

// Associations are walked in the order of their ids, so that each is one lookup in
// the index on (association_id, end_time). What counts is told before anything is
// deleted: all parts of the statement see the ledger as it was at its beginning.
constexpr char kRollUp[] =
    "WITH visited AS (SELECT id FROM priorityd.association "
    "WHERE cluster_id = $1 AND id >= $5 ORDER BY id LIMIT $8), "

    "old AS (SELECT a.id AS association_id, a.cut, u.* FROM ("
    "SELECT id, greatest($4::timestamptz, (SELECT max(reset_at) FROM priorityd.usage_reset s "
    "WHERE s.cluster_id = $1 AND s.association_id = a.id)) AS cut "
    "FROM priorityd.association a WHERE cluster_id = $1 AND id >= $5 ORDER BY id LIMIT $8) AS a "
    "CROSS JOIN LATERAL (SELECT seq, date_part('epoch', end_time - start_time) AS seconds, "
    "NOT EXISTS (SELECT FROM priorityd.usage_record r WHERE r.cluster_id = u.cluster_id "
    "AND r.source = u.source AND r.replaces_record_id = u.record_id "
    "AND r.replaces_record_id <> '') AS counts FROM priorityd.usage_record u "
    "WHERE association_id = a.id AND end_time < $2 AND (replaces_record_id = '' OR NOT EXISTS "
    "(SELECT FROM priorityd.usage_record t WHERE t.cluster_id = u.cluster_id "
    "AND t.source = u.source AND t.record_id = u.replaces_record_id)) "
    "ORDER BY end_time LIMIT $6) AS u ORDER BY a.id LIMIT $6), "

    "chosen AS MATERIALIZED (SELECT * FROM (SELECT old.*, sum(seconds / 3600 + 1) "
    "OVER (ORDER BY association_id, seq) - seconds / 3600 - 1 AS pieces_before FROM old) AS o "
    "WHERE pieces_before < $7), "

    "gone AS (DELETE FROM priorityd.usage_record u USING chosen WHERE u.seq = chosen.seq "
    "RETURNING u.association_id, u.qos_id, u.user_name, u.usage_factor, u.start_time, u.end_time, "
    "u.tres_ids, u.tres_counts, u.billing_rate, chosen.counts, chosen.cut), "

    "piece AS MATERIALIZED (SELECT association_id, coalesce(qos_id, 0) AS qos, user_name, "
    "usage_factor, CASE WHEN after_cut THEN greatest(hour, cut) ELSE hour END AS begins_at, "
    "part.start_time, part.end_time, date_part('epoch', part.end_time - part.start_time) "
    "AS seconds, tres_ids, tres_counts, billing_rate, part.end_time = gone.end_time AS is_last "
    "FROM gone CROSS JOIN LATERAL generate_series(date_bin('1 hour', start_time, $3), "
    "greatest(start_time, end_time - interval '1 microsecond'), '1 hour') AS hour "
    "CROSS JOIN (VALUES (false), (true)) AS side (after_cut) "
    "CROSS JOIN LATERAL (SELECT "
    "greatest(start_time, hour, CASE WHEN after_cut THEN cut END) AS start_time, "
    "least(end_time, hour + interval '1 hour', CASE WHEN NOT after_cut THEN cut END) AS end_time) "
    "AS part WHERE counts AND (part.start_time < part.end_time OR "
    "(gone.start_time = gone.end_time AND after_cut = (gone.start_time >= cut)))), "

    "total AS (SELECT association_id, qos, user_name, usage_factor, begins_at, "
    "min(start_time) AS start_time, max(end_time) AS end_time, sum(seconds) AS wall_seconds, "
    "sum(seconds * billing_rate) AS billing_seconds, count(*) FILTER (WHERE is_last) AS records "
    "FROM piece GROUP BY 1, 2, 3, 4, 5), "

    "amount AS (SELECT association_id, qos, user_name, usage_factor, begins_at, "
    "array_agg(tres_id ORDER BY tres_id) AS tres_ids, "
    "array_agg(seconds ORDER BY tres_id) AS tres_seconds FROM ("
    "SELECT association_id, qos, user_name, usage_factor, begins_at, tres_id, "
    "sum(seconds * count) AS seconds FROM piece "
    "CROSS JOIN LATERAL unnest(tres_ids, tres_counts) AS t (tres_id, count) "
    "GROUP BY 1, 2, 3, 4, 5, 6) AS by_tres GROUP BY 1, 2, 3, 4, 5), "

    "filled AS (INSERT INTO priorityd.usage_bucket AS b (cluster_id, association_id, qos_id, "
    "user_name, usage_factor, begins_at, start_time, end_time, tres_ids, tres_seconds, "
    "billing_seconds, wall_seconds, records) "
    "SELECT $1::integer, association_id, nullif(qos, 0), user_name, usage_factor, begins_at, "
    "start_time, end_time, coalesce(tres_ids, '{}'), coalesce(tres_seconds, '{}'), "
    "billing_seconds, wall_seconds, records FROM total LEFT JOIN amount "
    "USING (association_id, qos, user_name, usage_factor, begins_at) "
    "ON CONFLICT ON CONSTRAINT usage_bucket_hour DO UPDATE SET "
    "start_time = least(b.start_time, EXCLUDED.start_time), "
    "end_time = greatest(b.end_time, EXCLUDED.end_time), "
    "(tres_ids, tres_seconds) = (SELECT coalesce(array_agg(tres_id ORDER BY tres_id), '{}'), "
    "coalesce(array_agg(seconds ORDER BY tres_id), '{}') FROM (SELECT tres_id, sum(seconds) "
    "AS seconds FROM (SELECT * FROM unnest(b.tres_ids, b.tres_seconds) UNION ALL "
    "SELECT * FROM unnest(EXCLUDED.tres_ids, EXCLUDED.tres_seconds)) AS t (tres_id, seconds) "
    "GROUP BY tres_id) AS merged), "
    "billing_seconds = b.billing_seconds + EXCLUDED.billing_seconds, "
    "wall_seconds = b.wall_seconds + EXCLUDED.wall_seconds, "
    "records = b.records + EXCLUDED.records RETURNING id) "

    "SELECT (SELECT count(*) FROM chosen), (SELECT count(*) FROM filled), "
    "CASE WHEN (SELECT count(*) FROM old) >= $6 "
    "OR (SELECT count(*) FROM chosen) < (SELECT count(*) FROM old) "
    "THEN (SELECT max(association_id) FROM chosen) "
    "WHEN (SELECT count(*) FROM visited) >= $8 THEN (SELECT max(id) + 1 FROM visited) "
    "ELSE 0 END";

absl::Time DecodeTime(RowReader& row) {
  absl::Time time;
  row.Read(&time);
  return time;
}

bool DecodeBool(RowReader& row) {
  bool value = false;
  row.Read(&value);
  return value;
}

RollUpStep DecodeStep(RowReader& row) {
  RollUpStep step;
  row.Read(&step.records, &step.buckets, &step.next_association_id);
  return step;
}

}  // namespace

absl::StatusOr<absl::Time> RetentionStore::Horizon(int32_t cluster_id) {
  auto horizon = transaction_.QueryOptional(DecodeTime, kHorizon, {cluster_id});
  if (!horizon.ok()) return horizon.status();
  if (horizon->has_value()) return **horizon;
  return absl::NotFoundError(absl::StrCat("cluster: got id ", cluster_id, ", want a known one"));
}

absl::StatusOr<bool> RetentionStore::MoveHorizon(int32_t cluster_id, absl::Time horizon) {
  auto result = transaction_.Execute(kMoveHorizon, {cluster_id, horizon});
  if (!result.ok()) return result.status();
  return result->affected_rows() == 1;
}

absl::StatusOr<std::optional<RollUpStep>> RetentionStore::RollUp(const RollUpPlan& plan,
                                                                 int64_t association_id) {
  auto locked = transaction_.QueryOne(DecodeBool, kTryLock, {plan.cluster_id});
  if (!locked.ok()) return locked.status();
  if (!*locked) return std::optional<RollUpStep>();
  auto step =
      transaction_.QueryOne(DecodeStep, kRollUp,
                            {plan.cluster_id, plan.horizon, plan.hour, plan.reset, association_id,
                             plan.max_records, plan.max_pieces, plan.max_associations});
  if (!step.ok()) return step.status();
  return std::optional<RollUpStep>(*step);
}

}  // namespace priorityd::storage
