#include "storage/ledger/ledger_tail.h"

namespace priorityd::storage {
namespace {

constexpr char kSight[] =
    "SELECT coalesce((SELECT max(seq) FROM priorityd.usage_record WHERE cluster_id = $1), 0), "
    "pg_snapshot_xmin(s)::text::bigint, pg_current_xact_id()::text::bigint "
    "FROM pg_current_snapshot() AS s";
// The SELECT keeps the cluster from the planner: see storage/database/key_range.h.
constexpr char kLatestEnds[] =
    "SELECT job_id, max(end_time) FROM priorityd.counted_usage "
    "WHERE cluster_id = (SELECT $1::integer) AND seq > $2 AND job_id <> '' GROUP BY job_id";
constexpr char kReplaced[] =
    "SELECT u.job_id, u.end_time FROM priorityd.usage_record r "
    "JOIN priorityd.usage_record u ON u.cluster_id = r.cluster_id AND u.source = r.source "
    "AND u.record_id = r.replaces_record_id "
    "WHERE r.cluster_id = (SELECT $1::integer) AND r.seq > $2 AND r.replaces_record_id <> '' AND "
    "u.job_id <> ''";
constexpr char kLatestEndsOf[] =
    "SELECT job_id, max(end_time) FROM priorityd.counted_usage "
    "WHERE cluster_id = (SELECT $1::integer) AND end_time > $2 AND job_id = ANY($3::text[]) GROUP "
    "BY job_id";

LedgerSight DecodeSight(RowReader& row) {
  LedgerSight sight;
  row.Read(&sight.seq, &sight.unfinished, &sight.next);
  return sight;
}

}  // namespace

absl::StatusOr<LedgerSight> LedgerTail::Sight(int32_t cluster_id) {
  return transaction_.QueryOne(DecodeSight, kSight, {cluster_id});
}

absl::StatusOr<std::vector<JobEnd>> LedgerTail::LatestEnds(int32_t cluster_id, int64_t seq) {
  return transaction_.Query(DecodeJobEnd, kLatestEnds, {cluster_id, seq});
}

absl::StatusOr<std::vector<JobEnd>> LedgerTail::Replaced(int32_t cluster_id, int64_t seq) {
  return transaction_.Query(DecodeJobEnd, kReplaced, {cluster_id, seq});
}

absl::StatusOr<std::vector<JobEnd>> LedgerTail::LatestEndsOf(
    int32_t cluster_id, absl::Time since, const std::vector<std::string>& job_ids) {
  return transaction_.Query(DecodeJobEnd, kLatestEndsOf, {cluster_id, since, job_ids});
}

}  // namespace priorityd::storage
