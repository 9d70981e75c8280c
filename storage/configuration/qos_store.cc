#include "storage/configuration/qos_store.h"

#include "storage/configuration/cluster_rows.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

using QosTable = ColumnTable<Qos>;
using QosRows = ClusterRows<Qos, QosColumns>;

const QosRows& StoredQosRows() {
  static const auto* const rows = new QosRows("qos");
  return *rows;
}

}  // namespace

const ColumnTable<Qos>& QosColumns() {
  using C = QosTable;
  static const auto* const columns =
      new C("qos", {},
            {C::ReadOnly<&Qos::id>("id"), C::ReadOnly<&Qos::cluster_id>("cluster_id"),
             C::Value<&Qos::name>("name"), C::Value<&Qos::priority>("priority"),
             C::Value<&Qos::usage_factor>("usage_factor"), C::Value<&Qos::flags>("flags"),
             C::Value<&Qos::preempt>("preempt"), C::Value<&Qos::usage_threshold>("usage_threshold"),
             C::ListFirst<&Qos::grp_tres_mins>("grp_tres_mins_names"),
             C::ListSecond<&Qos::grp_tres_mins>("grp_tres_mins_amounts"),
             C::Value<&Qos::grp_wall_minutes>("grp_wall_minutes"),
             C::Value<&Qos::max_submit_jobs_per_user>("max_submit_jobs_per_user"),
             C::ListFirst<&Qos::other_limits>("other_limit_names"),
             C::ListSecond<&Qos::other_limits>("other_limit_values"),
             C::Value<&Qos::usage_reset_at>("usage_reset_at"),
             C::ReadOnly<&Qos::deleted_at>("deleted_at")});
  return *columns;
}

absl::StatusOr<std::vector<Qos>> QosStore::List(int32_t cluster_id, Edition edition) {
  return StoredQosRows().List(transaction_, cluster_id, edition);
}

absl::StatusOr<std::vector<Qos>> QosStore::ListDeleted(int32_t cluster_id) {
  return StoredQosRows().ListDeleted(transaction_, cluster_id);
}

absl::StatusOr<int64_t> QosStore::Insert(const Qos& qos) {
  return StoredQosRows().Insert(transaction_, qos);
}

absl::Status QosStore::Update(const Qos& qos) { return StoredQosRows().Update(transaction_, qos); }

absl::Status QosStore::Delete(int32_t cluster_id, int64_t id, absl::Time at) {
  return StoredQosRows().Delete(transaction_, cluster_id, id, at);
}

}  // namespace priorityd::storage
