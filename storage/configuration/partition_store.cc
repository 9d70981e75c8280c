#include "storage/configuration/partition_store.h"

#include "storage/configuration/cluster_rows.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

using PartitionTable = ColumnTable<Partition>;
using PartitionRows = ClusterRows<Partition, PartitionColumns>;

const PartitionRows& StoredPartitionRows() {
  static const auto* const rows = new PartitionRows("partition");
  return *rows;
}

}  // namespace

const ColumnTable<Partition>& PartitionColumns() {
  using C = PartitionTable;
  using P = Partition;
  static const auto* const columns =
      new C("partition", {},
            {C::ReadOnly<&P::id>("id"),
             C::ReadOnly<&P::cluster_id>("cluster_id"),
             C::Value<&P::name>("name"),
             C::Value<&P::nodes>("nodes"),
             C::ListFirst<&P::tres>("tres_names"),
             C::ListSecond<&P::tres>("tres_counts"),
             C::Value<&P::is_default>("is_default"),
             C::Value<&P::priority_job_factor>("priority_job_factor"),
             C::Value<&P::priority_tier>("priority_tier"),
             C::ListFirst<&P::billing_weights>("billing_weight_names"),
             C::ListSecond<&P::billing_weights>("billing_weights"),
             C::Value<&P::max_time>("max_time_seconds"),
             C::Value<&P::default_time>("default_time_seconds"),
             C::Value<&P::min_nodes>("min_nodes"),
             C::Value<&P::max_nodes>("max_nodes"),
             C::Value<&P::allow_accounts>("allow_accounts"),
             C::Value<&P::deny_accounts>("deny_accounts"),
             C::Value<&P::allow_qos>("allow_qos"),
             C::Value<&P::deny_qos>("deny_qos"),
             C::Value<&P::qos>("qos"),
             C::Value<&P::state>("state"),
             C::Value<&P::preempt_mode>("preempt_mode"),
             C::Value<&P::root_only>("root_only"),
             C::Value<&P::max_cpus_per_node>("max_cpus_per_node"),
             C::Value<&P::max_mem_per_node>("max_mem_per_node"),
             C::Value<&P::allow_groups>("allow_groups"),
             C::ReadOnly<&P::deleted_at>("deleted_at")});
  return *columns;
}

absl::StatusOr<std::vector<Partition>> PartitionStore::List(int32_t cluster_id, Edition edition) {
  return StoredPartitionRows().List(transaction_, cluster_id, edition);
}

absl::StatusOr<std::vector<Partition>> PartitionStore::ListDeleted(int32_t cluster_id) {
  return StoredPartitionRows().ListDeleted(transaction_, cluster_id);
}

absl::StatusOr<int64_t> PartitionStore::Insert(const Partition& partition) {
  return StoredPartitionRows().Insert(transaction_, partition);
}

absl::Status PartitionStore::Update(const Partition& partition) {
  return StoredPartitionRows().Update(transaction_, partition);
}

absl::Status PartitionStore::Delete(int32_t cluster_id, int64_t id, absl::Time at) {
  return StoredPartitionRows().Delete(transaction_, cluster_id, id, at);
}

}  // namespace priorityd::storage
