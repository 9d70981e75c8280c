#include "storage/ledger/usage_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/foreign_keys.h"

namespace priorityd::storage {
namespace {

// Of association_usage or qos_usage.
struct UsageStatements {
  const ColumnTable<UsageRow>& columns;
  const char* id;  // the column's name
  std::string select = absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                                    " WHERE cluster_id = $1 ");
  std::string list = absl::StrCat(select, "AND changed_xid >= $2 ORDER BY ", id);
  std::string create = absl::StrCat(
      "INSERT INTO ", columns.Table(), " (", id, ", cluster_id) ",
      "SELECT id, $1::integer FROM unnest($2::bigint[]) AS id WHERE NOT EXISTS (SELECT FROM ",
      columns.Table(), " WHERE cluster_id = $1 AND ", id,
      " = id) ORDER BY id ON CONFLICT (cluster_id, ", id, ") DO NOTHING");
  // OFFSET 0 keeps the planner to one index lookup per wanted row, however large the cluster
  // and however old its statistics.
  std::string lock = absl::StrCat(
      "SELECT ", columns.Selected("held."), " FROM unnest($2::bigint[]) AS wanted (id) ",
      "CROSS JOIN LATERAL (SELECT * FROM ", columns.Table(), " u WHERE u.cluster_id = $1 AND u.",
      id, " = wanted.id OFFSET 0 FOR UPDATE) AS held");
  // The places of the rows are found likewise: the planner is not free to begin with the table.
  std::string write = absl::StrCat(
      "UPDATE ", columns.Table(), " u SET ", columns.AssignGiven(),
      ", changed_xid = pg_current_xact_id()::text::bigint FROM (SELECT given.*, held.ctid FROM ",
      columns.Given(2), " CROSS JOIN LATERAL (SELECT ctid FROM ", columns.Table(),
      " u WHERE u.cluster_id = $1 AND u.", id, " = given.", id,
      " OFFSET 0) AS held) AS given WHERE u.ctid = given.ctid");
  std::string count =
      absl::StrCat("SELECT count(*) FROM ", columns.Table(), " WHERE cluster_id = $1");
};

const UsageStatements& UsageSql(UsageOf of) {
  static const auto* const association =
      new UsageStatements{UsageColumns(UsageOf::kAssociation), "association_id"};
  static const auto* const qos = new UsageStatements{UsageColumns(UsageOf::kQos), "qos_id"};
  return of == UsageOf::kAssociation ? *association : *qos;
}

struct OpeningStatements {
  const ColumnTable<OpeningUsage>& columns = OpeningUsageColumns();
  std::string list =
      absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                   " WHERE cluster_id = $1 AND changed_xid >= $2 ORDER BY association_id");
  std::string set =
      absl::StrCat("INSERT INTO ", columns.Table(), " (", columns.Written("cluster_id, "),
                   ") SELECT $1::integer, ", columns.GivenValues(), " FROM ", columns.Given(2),
                   " ORDER BY given.association_id "
                   "ON CONFLICT (cluster_id, association_id) DO UPDATE SET ",
                   columns.AssignExcluded(), ", changed_xid = excluded.changed_xid");
};

const OpeningStatements& OpeningSql() {
  static const auto* const statements = new OpeningStatements;
  return *statements;
}

constexpr char kWatermark[] = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint";

// Every record settled into a QOS's row is also in that of an association.
constexpr char kLatest[] =
    "SELECT coalesce(max(as_of), '-infinity') FROM priorityd.association_usage "
    "WHERE cluster_id = $1";

UsageRow DecodeUsage(RowReader& row) { return UsageColumns(UsageOf::kAssociation).Decode(row); }

absl::Status WantRows(size_t got, size_t want) {
  if (got == want) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("usage: got ", want, " ids, of which ", got, " are of this cluster, want all"));
}

ColumnTable<UsageRow> Columns(const char* table, const char* id) {
  using C = ColumnTable<UsageRow>;
  return C(table, {"cluster_id", "changed_xid"},
           {C::Key<&UsageRow::id>(id), C::Value<&UsageRow::value>("value"),
            C::Value<&UsageRow::as_of>("as_of"), C::ListFirst<&UsageRow::tres_seconds>("tres_ids"),
            C::ListSecond<&UsageRow::tres_seconds>("tres_seconds"),
            C::Value<&UsageRow::wall_seconds>("wall_seconds")});
}

}  // namespace

const ColumnTable<UsageRow>& UsageColumns(UsageOf of) {
  static const auto* const association =
      new ColumnTable<UsageRow>(Columns("association_usage", "association_id"));
  static const auto* const qos = new ColumnTable<UsageRow>(Columns("qos_usage", "qos_id"));
  return of == UsageOf::kAssociation ? *association : *qos;
}

const ColumnTable<OpeningUsage>& OpeningUsageColumns() {
  using C = ColumnTable<OpeningUsage>;
  static const auto* const columns =
      new C("opening_usage", {"cluster_id", "changed_xid"},
            {C::Key<&OpeningUsage::association_id>("association_id"),
             C::Value<&OpeningUsage::value>("value"), C::Value<&OpeningUsage::as_of>("as_of")});
  return *columns;
}

absl::StatusOr<std::vector<UsageRow>> UsageStore::List(UsageOf of, int32_t cluster_id,
                                                       int64_t since) {
  return transaction_.Query(DecodeUsage, UsageSql(of).list, {cluster_id, since});
}

absl::StatusOr<std::vector<OpeningUsage>> UsageStore::ListOpening(int32_t cluster_id,
                                                                  int64_t since) {
  return transaction_.Query(DecodeTableRow<OpeningUsageColumns>, OpeningSql().list,
                            {cluster_id, since});
}

absl::StatusOr<int64_t> UsageStore::Count(UsageOf of, int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, UsageSql(of).count, {cluster_id});
}

absl::StatusOr<absl::Time> UsageStore::Latest(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<absl::Time>, kLatest, {cluster_id});
}

absl::StatusOr<int64_t> UsageStore::Watermark() {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kWatermark);
}

absl::StatusOr<std::vector<UsageRow>> UsageStore::Lock(UsageOf of, int32_t cluster_id,
                                                       const std::vector<int64_t>& ids) {
  if (ids.empty()) return std::vector<UsageRow>();
  const UsageStatements& statements = UsageSql(of);
  // Nearly always all are there.
  auto rows = transaction_.Query(DecodeUsage, statements.lock, {cluster_id, ids});
  if (!rows.ok()) return rows.status();
  if (rows->size() == ids.size()) return rows;
  auto created =
      ExecuteWithForeignKeys(transaction_, ids.size(), statements.create, {cluster_id, ids});
  if (!created.ok()) return created.status();
  rows = transaction_.Query(DecodeUsage, statements.lock, {cluster_id, ids});
  if (!rows.ok()) return rows.status();
  absl::Status complete = WantRows(rows->size(), ids.size());
  if (!complete.ok()) return complete;
  return rows;
}

absl::Status UsageStore::Write(UsageOf of, int32_t cluster_id, absl::Span<const UsageRow> rows) {
  if (rows.empty()) return absl::OkStatus();
  auto written =
      transaction_.Execute(UsageSql(of).write, UsageColumns(of).Parameters(rows, {cluster_id}));
  if (!written.ok()) return written.status();
  return WantRows(*written, rows.size());
}

absl::Status UsageStore::SetOpening(int32_t cluster_id, absl::Span<const OpeningUsage> rows) {
  if (rows.empty()) return absl::OkStatus();
  return ExecuteWithForeignKeys(transaction_, rows.size(), OpeningSql().set,
                                OpeningUsageColumns().Parameters(rows, {cluster_id}))
      .status();
}

}  // namespace priorityd::storage
