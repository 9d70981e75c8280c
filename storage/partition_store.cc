#include "storage/partition_store.h"

#include "absl/strings/str_cat.h"
#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

constexpr char kList[] =
    "SELECT id, cluster_id, name, nodes, tres_names, tres_counts, is_default, "
    "priority_job_factor, priority_tier, billing_weight_names, billing_weights, "
    "max_time_seconds, default_time_seconds, min_nodes, max_nodes, allow_accounts, "
    "deny_accounts, allow_qos, deny_qos, qos, state, preempt_mode, deleted_at "
    "FROM priorityd.partition WHERE cluster_id = $1 AND (deleted_at IS NOT NULL) = $2 ORDER BY id";
constexpr char kInsert[] =
    "INSERT INTO priorityd.partition (cluster_id, name, nodes, tres_names, tres_counts, "
    "is_default, priority_job_factor, priority_tier, billing_weight_names, billing_weights, "
    "max_time_seconds, default_time_seconds, min_nodes, max_nodes, allow_accounts, "
    "deny_accounts, allow_qos, deny_qos, qos, state, preempt_mode) VALUES ($1, $2, $3, $4, $5, "
    "$6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) RETURNING id";
constexpr char kUpdate[] =
    "UPDATE priorityd.partition SET name = $2, nodes = $3, tres_names = $4, tres_counts = $5, "
    "is_default = $6, priority_job_factor = $7, priority_tier = $8, billing_weight_names = $9, "
    "billing_weights = $10, max_time_seconds = $11, default_time_seconds = $12, "
    "min_nodes = $13, max_nodes = $14, allow_accounts = $15, deny_accounts = $16, "
    "allow_qos = $17, deny_qos = $18, qos = $19, state = $20, preempt_mode = $21 "
    "WHERE id = $1 AND deleted_at IS NULL";
constexpr char kDelete[] =
    "UPDATE priorityd.partition SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";

Partition Decode(RowReader& row) {
  Partition p;
  row.Read(&p.id, &p.cluster_id, &p.name, &p.nodes, &p.tres, &p.is_default, &p.priority_job_factor,
           &p.priority_tier, &p.billing_weights, &p.max_time, &p.default_time, &p.min_nodes,
           &p.max_nodes, &p.allow_accounts, &p.deny_accounts, &p.allow_qos, &p.deny_qos, &p.qos,
           &p.state, &p.preempt_mode, &p.deleted_at);
  return p;
}

int64_t DecodeId(RowReader& row) {
  int64_t id = 0;
  row.Read(&id);
  return id;
}

// `key` ($1), then the fields in the order of kInsert and kUpdate.
template <typename Key>
std::vector<Parameter> Fields(Key key, const Partition& p) {
  return {key,
          p.name,
          p.nodes,
          Names(p.tres),
          Amounts(p.tres),
          p.is_default,
          p.priority_job_factor,
          p.priority_tier,
          Names(p.billing_weights),
          Amounts(p.billing_weights),
          p.max_time,
          p.default_time,
          p.min_nodes,
          p.max_nodes,
          p.allow_accounts,
          p.deny_accounts,
          p.allow_qos,
          p.deny_qos,
          p.qos,
          p.state,
          p.preempt_mode};
}

absl::Status WantOne(const absl::StatusOr<pqxx::result>& result, int64_t id) {
  if (!result.ok()) return result.status();
  if (result->affected_rows() == 1) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("partition: got id ", id, ", want a known one"));
}

}  // namespace

absl::StatusOr<std::vector<Partition>> PartitionStore::List(int32_t cluster_id, Edition edition) {
  return transaction_.Query(Decode, InEdition(kList, edition).c_str(), {cluster_id, false});
}

absl::StatusOr<std::vector<Partition>> PartitionStore::ListDeleted(int32_t cluster_id) {
  return transaction_.Query(Decode, kList, {cluster_id, true});
}

absl::StatusOr<int64_t> PartitionStore::Insert(const Partition& partition) {
  return transaction_.QueryOne(DecodeId, kInsert, Fields(partition.cluster_id, partition));
}

absl::Status PartitionStore::Update(const Partition& partition) {
  return WantOne(transaction_.Execute(kUpdate, Fields(partition.id, partition)), partition.id);
}

absl::Status PartitionStore::Delete(int64_t id, absl::Time at) {
  return WantOne(transaction_.Execute(kDelete, {id, at}), id);
}

}  // namespace priorityd::storage
