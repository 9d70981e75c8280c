#include "storage/ledger/usage_source_store.h"

namespace priorityd::storage {
namespace {

// Steps from name to name. The ranges keep the planner to the index usage_record_source: see
// storage/database/key_range.h.
constexpr char kListSources[] =
    "WITH RECURSIVE name AS ("
    "SELECT (SELECT r.source FROM priorityd.usage_record r WHERE r.cluster_id = $1 "
    "AND r.source > $2 ORDER BY r.source, r.end_time, r.seq LIMIT 1) AS source "
    "UNION ALL "
    "SELECT (SELECT r.source FROM priorityd.usage_record r WHERE r.cluster_id = $1 "
    "AND r.source > name.source ORDER BY r.source, r.end_time, r.seq LIMIT 1) "
    "FROM name WHERE name.source IS NOT NULL) "
    "SELECT last.source, last.end_time, last.job_id, last.accepted_at FROM ("
    "SELECT source FROM name WHERE source IS NOT NULL "
    "AND ($3::text[] = '{}' OR source = ANY($3::text[])) LIMIT $4::bigint) AS listed "
    "CROSS JOIN LATERAL (SELECT * FROM priorityd.usage_record r WHERE r.cluster_id = $1 "
    "AND r.source >= listed.source AND r.source <= listed.source "
    "ORDER BY r.source DESC, r.end_time DESC, r.seq DESC LIMIT 1) AS last ORDER BY last.source";

UsageSource DecodeSource(RowReader& row) {
  UsageSource source;
  row.Read(&source.source, &source.last_end, &source.last_job_id, &source.last_recorded_at);
  return source;
}

}  // namespace

absl::StatusOr<std::vector<UsageSource>> UsageSourceStore::List(
    int32_t cluster_id, const std::string& after, const std::vector<std::string>& only,
    int64_t limit) {
  return transaction_.Query(DecodeSource, kListSources, {cluster_id, after, only, limit});
}

}  // namespace priorityd::storage
