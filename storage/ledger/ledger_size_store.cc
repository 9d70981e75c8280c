#include "storage/ledger/ledger_size_store.h"

namespace priorityd::storage {
namespace {

// A server that was killed forgets what it counted; the last ANALYZE is on disk.
constexpr char kSize[] =
    "SELECT coalesce(nullif(s.n_live_tup, 0), greatest(c.reltuples, 0)::bigint), "
    "pg_total_relation_size(c.oid) FROM pg_class c "
    "LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid "
    "WHERE c.oid = 'priorityd.usage_record'::regclass";
constexpr char kAges[] =
    "SELECT c.name, c.ledger_horizon, (SELECT r.end_time FROM priorityd.usage_record r "
    "WHERE r.cluster_id = c.id ORDER BY r.end_time LIMIT 1) "
    "FROM priorityd.cluster c WHERE c.former_name IS NULL ORDER BY c.name COLLATE \"C\"";

LedgerSize DecodeSize(RowReader& row) {
  LedgerSize size;
  row.Read(&size.records, &size.bytes);
  return size;
}

LedgerAge DecodeAge(RowReader& row) {
  LedgerAge age;
  row.Read(&age.cluster, &age.horizon, &age.oldest_end);
  return age;
}

}  // namespace

absl::StatusOr<LedgerSize> LedgerSizeStore::Size() {
  return transaction_.QueryOne(DecodeSize, kSize);
}

absl::StatusOr<std::vector<LedgerAge>> LedgerSizeStore::Ages() {
  return transaction_.Query(DecodeAge, kAges);
}

}  // namespace priorityd::storage
