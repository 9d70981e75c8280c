#include "storage/ledger/usage_reset_store.h"

namespace priorityd::storage {
namespace {

constexpr char kListResets[] =
    "SELECT association_id, max(reset_at) FROM priorityd.usage_reset "
    "WHERE cluster_id = $1 GROUP BY association_id ORDER BY association_id";
constexpr char kAppend[] =
    "INSERT INTO priorityd.usage_reset (cluster_id, association_id, reset_at) "
    "SELECT $1::integer, id, $3::timestamptz FROM unnest($2::bigint[]) AS id "
    "ON CONFLICT DO NOTHING";

UsageReset DecodeReset(RowReader& row) {
  UsageReset reset;
  row.Read(&reset.association_id, &reset.reset_at);
  return reset;
}

}  // namespace

absl::StatusOr<std::vector<UsageReset>> UsageResetStore::List(int32_t cluster_id) {
  return transaction_.Query(DecodeReset, kListResets, {cluster_id});
}

absl::Status UsageResetStore::Append(int32_t cluster_id,
                                     const std::vector<int64_t>& association_ids,
                                     absl::Time reset_at) {
  return transaction_.Execute(kAppend, {cluster_id, association_ids, reset_at}).status();
}

}  // namespace priorityd::storage
