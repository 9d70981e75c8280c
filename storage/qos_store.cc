#include "storage/qos_store.h"

#include "absl/strings/str_cat.h"
#include "storage/column_table.h"

namespace priorityd::storage {
namespace {

using Columns = ColumnTable<Qos>;

struct Statements {
  const Columns& columns = QosColumns();
  std::string list[2] = {ListOf(Edition::kCurrent), ListOf(Edition::kPublished)};
  std::string insert = absl::StrCat(
      "INSERT INTO ", columns.Table(), " (", columns.Written("cluster_id, "),
      ") SELECT $1::integer, ", columns.GivenValues(), " FROM ", columns.Given(2), " RETURNING id");
  std::string update =
      absl::StrCat("UPDATE ", columns.Table(), " q SET ", columns.AssignGiven(), " FROM ",
                   columns.Given(2), " WHERE q.id = $1 AND q.deleted_at IS NULL");

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
    "UPDATE priorityd.qos SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";

Qos Decode(RowReader& row) { return QosColumns().Decode(row); }

int64_t DecodeId(RowReader& row) {
  int64_t id = 0;
  row.Read(&id);
  return id;
}

absl::Status WantOne(const absl::StatusOr<int64_t>& rows, int64_t id) {
  if (!rows.ok()) return rows.status();
  if (*rows == 1) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("qos: got id ", id, ", want a known one"));
}

}  // namespace

const ColumnTable<Qos>& QosColumns() {
  using C = Columns;
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
             C::ReadOnly<&Qos::deleted_at>("deleted_at")});
  return *columns;
}

absl::StatusOr<std::vector<Qos>> QosStore::List(int32_t cluster_id, Edition edition) {
  return transaction_.Query(Decode, Sql().list[static_cast<int>(edition)], {cluster_id, false});
}

absl::StatusOr<std::vector<Qos>> QosStore::ListDeleted(int32_t cluster_id) {
  return transaction_.Query(Decode, Sql().list[0], {cluster_id, true});
}

absl::StatusOr<int64_t> QosStore::Insert(const Qos& qos) {
  return transaction_.QueryOne(
      DecodeId, Sql().insert,
      QosColumns().Parameters(absl::MakeConstSpan(&qos, 1), {qos.cluster_id}));
}

absl::Status QosStore::Update(const Qos& qos) {
  return WantOne(transaction_.Execute(
                     Sql().update, QosColumns().Parameters(absl::MakeConstSpan(&qos, 1), {qos.id})),
                 qos.id);
}

absl::Status QosStore::Delete(int64_t id, absl::Time at) {
  return WantOne(transaction_.Execute(kDelete, {id, at}), id);
}

}  // namespace priorityd::storage
