#include "storage/partition_store.h"

#include "absl/strings/str_cat.h"
#include "storage/column_table.h"

namespace priorityd::storage {
namespace {

using Columns = ColumnTable<Partition>;

struct Statements {
  const Columns& columns = PartitionColumns();
  std::string list[2] = {ListOf(Edition::kCurrent), ListOf(Edition::kPublished)};
  std::string insert = absl::StrCat(
      "INSERT INTO ", columns.Table(), " (", columns.Written("cluster_id, "),
      ") SELECT $1::integer, ", columns.GivenValues(), " FROM ", columns.Given(2), " RETURNING id");
  std::string update =
      absl::StrCat("UPDATE ", columns.Table(), " p SET ", columns.AssignGiven(), " FROM ",
                   columns.Given(2), " WHERE p.id = $1 AND p.deleted_at IS NULL");

  std::string ListOf(Edition edition) const {
    return absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(edition),
                        " WHERE cluster_id = $1 AND (deleted_at IS NOT NULL) = $2 ORDER BY id");
  }
};

const Statements& Sql() {
  static const auto* const statements = new Statements;
  return *statements;
}

constexpr char kDelete[] =
    "UPDATE priorityd.partition SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";

Partition Decode(RowReader& row) { return PartitionColumns().Decode(row); }

int64_t DecodeId(RowReader& row) {
  int64_t id = 0;
  row.Read(&id);
  return id;
}

absl::Status WantOne(const absl::StatusOr<int64_t>& rows, int64_t id) {
  if (!rows.ok()) return rows.status();
  if (*rows == 1) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("partition: got id ", id, ", want a known one"));
}

}  // namespace

const ColumnTable<Partition>& PartitionColumns() {
  using C = Columns;
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
             C::ReadOnly<&P::deleted_at>("deleted_at")});
  return *columns;
}

absl::StatusOr<std::vector<Partition>> PartitionStore::List(int32_t cluster_id, Edition edition) {
  return transaction_.Query(Decode, Sql().list[static_cast<int>(edition)], {cluster_id, false});
}

absl::StatusOr<std::vector<Partition>> PartitionStore::ListDeleted(int32_t cluster_id) {
  return transaction_.Query(Decode, Sql().list[0], {cluster_id, true});
}

absl::StatusOr<int64_t> PartitionStore::Insert(const Partition& partition) {
  return transaction_.QueryOne(
      DecodeId, Sql().insert,
      PartitionColumns().Parameters(absl::MakeConstSpan(&partition, 1), {partition.cluster_id}));
}

absl::Status PartitionStore::Update(const Partition& partition) {
  return WantOne(
      transaction_.Execute(Sql().update, PartitionColumns().Parameters(
                                             absl::MakeConstSpan(&partition, 1), {partition.id})),
      partition.id);
}

absl::Status PartitionStore::Delete(int64_t id, absl::Time at) {
  return WantOne(transaction_.Execute(kDelete, {id, at}), id);
}

}  // namespace priorityd::storage
