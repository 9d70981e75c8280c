#include "storage/configuration/association_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/foreign_keys.h"
#include "storage/database/row_version.h"

namespace priorityd::storage {
namespace {

using AssociationTable = ColumnTable<Association>;

struct AssociationStatements {
  const AssociationTable& columns = AssociationColumns();
  std::string list[2] = {ListOf(Edition::kCurrent), ListOf(Edition::kPublished)};
  std::string list_deleted =
      absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                   " WHERE cluster_id = $1 AND deleted_at IS NOT NULL ORDER BY id");
  std::string list_written =
      absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                   " WHERE cluster_id = $1 AND ", WrittenSince(2), " ORDER BY id");
  std::string insert = absl::StrCat(
      "INSERT INTO ", columns.Table(), " (", columns.Written(), ") SELECT ", columns.GivenValues(),
      " FROM ", columns.Given(1), " ORDER BY id ON CONFLICT (cluster_id, id) DO UPDATE SET ",
      columns.AssignExcluded(), ", deleted_at = NULL WHERE association.deleted_at IS NOT NULL");
  std::string update = absl::StrCat(
      "UPDATE ", columns.Table(), " a SET ", columns.AssignGiven(), " FROM ", columns.Given(1),
      " WHERE a.id = given.id AND a.cluster_id = given.cluster_id AND a.deleted_at IS NULL");

  std::string ListOf(Edition edition) const {
    return absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(edition),
                        " WHERE cluster_id = $1 AND deleted_at IS NULL ORDER BY id");
  }
};

const AssociationStatements& AssociationSql() {
  static const auto* const statements = new AssociationStatements;
  return *statements;
}

constexpr char kReserveIds[] =
    "SELECT nextval(pg_get_serial_sequence('priorityd.association', 'id')) "
    "FROM generate_series(1, $1::bigint)";
constexpr char kCountAssociations[] =
    "SELECT count(*) FROM priorityd.association WHERE cluster_id = $1 AND deleted_at IS NULL";
constexpr char kDeleteAssociation[] =
    "UPDATE priorityd.association SET deleted_at = $2 "
    "WHERE cluster_id = $3 AND id = ANY($1::bigint[]) AND deleted_at IS NULL";

constexpr char kListOtherLimits[] =
    "SELECT o.name, count(*), (array_agg(o.value ORDER BY a.id))[1], "
    "(array_agg(a.account ORDER BY a.id))[1], (array_agg(a.user_name ORDER BY a.id))[1] "
    "FROM priorityd.association a, "
    "unnest(a.other_limit_names, a.other_limit_values) AS o (name, value) "
    "WHERE a.cluster_id = $1 AND a.deleted_at IS NULL GROUP BY o.name ORDER BY o.name";

OtherLimit DecodeOtherLimit(RowReader& row) {
  OtherLimit limit;
  row.Read(&limit.name, &limit.count, &limit.value, &limit.account, &limit.user_name);
  return limit;
}

absl::Status AllThere(const absl::StatusOr<int64_t>& got, size_t want) {
  if (!got.ok()) return got.status();
  if (*got == static_cast<int64_t>(want)) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("associations: got ", want, " ids, of which ", *got, " are there, want all"));
}

}  // namespace

const ColumnTable<Association>& AssociationColumns() {
  using C = AssociationTable;
  using A = Association;
  static const auto* const columns =
      new C("association", {},
            {C::Key<&A::id>("id"),
             C::Key<&A::cluster_id>("cluster_id"),
             C::Value<&A::parent_id>("parent_id"),
             C::Value<&A::account>("account"),
             C::Value<&A::user_name>("user_name"),
             C::Value<&A::partition>("partition"),
             C::Value<&A::raw_shares>("raw_shares"),
             C::Value<&A::priority>("priority"),
             C::Value<&A::default_qos>("default_qos"),
             C::Value<&A::qos>("qos"),
             C::Value<&A::description>("description"),
             C::Value<&A::organization>("organization"),
             C::Value<&A::max_jobs_accrue>("max_jobs_accrue"),
             C::Value<&A::grp_jobs_accrue>("grp_jobs_accrue"),
             C::Value<&A::max_submit_jobs>("max_submit_jobs"),
             C::ListFirst<&A::grp_tres_mins>("grp_tres_mins_names"),
             C::ListSecond<&A::grp_tres_mins>("grp_tres_mins_amounts"),
             C::Value<&A::grp_wall_minutes>("grp_wall_minutes"),
             C::ListFirst<&A::other_limits>("other_limit_names"),
             C::ListSecond<&A::other_limits>("other_limit_values"),
             C::ReadOnly<&A::deleted_at>("deleted_at")});
  return *columns;
}

absl::StatusOr<std::vector<Association>> AssociationStore::List(int32_t cluster_id,
                                                                Edition edition) {
  return transaction_.Query(DecodeTableRow<AssociationColumns>,
                            AssociationSql().list[static_cast<int>(edition)], {cluster_id});
}

absl::StatusOr<std::vector<Association>> AssociationStore::ListDeleted(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<AssociationColumns>, AssociationSql().list_deleted,
                            {cluster_id});
}

absl::StatusOr<std::vector<Association>> AssociationStore::ListWrittenSince(int32_t cluster_id,
                                                                            int64_t watermark) {
  return transaction_.Query(DecodeTableRow<AssociationColumns>, AssociationSql().list_written,
                            {cluster_id, watermark});
}

absl::StatusOr<int64_t> AssociationStore::Count(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountAssociations, {cluster_id});
}

absl::StatusOr<std::vector<OtherLimit>> AssociationStore::ListOtherLimits(int32_t cluster_id) {
  return transaction_.Query(DecodeOtherLimit, kListOtherLimits, {cluster_id});
}

absl::StatusOr<std::vector<int64_t>> AssociationStore::ReserveIds(int64_t count) {
  return transaction_.Query(OnlyColumn<int64_t>, kReserveIds, {count});
}

absl::Status AssociationStore::Insert(absl::Span<const Association> associations) {
  absl::Status status = Write(AssociationSql().insert, associations);
  if (!absl::IsNotFound(status)) return status;
  return absl::AlreadyExistsError("associations: got the id of one that is there, want a new one");
}

absl::Status AssociationStore::Update(absl::Span<const Association> associations) {
  return Write(AssociationSql().update, associations);
}

absl::Status AssociationStore::Delete(int32_t cluster_id, absl::Span<const int64_t> ids,
                                      absl::Time at) {
  if (ids.empty()) return absl::OkStatus();
  return AllThere(
      transaction_.Execute(kDeleteAssociation,
                           {std::vector<int64_t>(ids.begin(), ids.end()), at, cluster_id}),
      ids.size());
}

absl::Status AssociationStore::Write(const std::string& statement,
                                     absl::Span<const Association> associations) {
  if (associations.empty()) return absl::OkStatus();
  return AllThere(ExecuteWithForeignKeys(transaction_, associations.size(), statement,
                                         AssociationColumns().Parameters(associations)),
                  associations.size());
}

}  // namespace priorityd::storage
