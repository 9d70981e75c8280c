#include "storage/usage_store.h"

#include "absl/strings/str_cat.h"
#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

struct Statements {
  const char* list;
  const char* create;
  const char* lock;
  const char* write;
  const char* count;
};

constexpr Statements kAssociation = {
    .list =
        "SELECT association_id, value, as_of, tres_ids, tres_seconds, wall_seconds "
        "FROM priorityd.association_usage WHERE cluster_id = $1 AND changed_xid >= $2 "
        "ORDER BY association_id",
    .create =
        "INSERT INTO priorityd.association_usage (association_id, cluster_id) "
        "SELECT id, $1::integer FROM unnest($2::bigint[]) AS id WHERE NOT EXISTS "
        "(SELECT FROM priorityd.association_usage WHERE association_id = id) "
        "ORDER BY id ON CONFLICT (association_id) DO NOTHING",
    .lock =
        "SELECT association_id, value, as_of, tres_ids, tres_seconds, wall_seconds "
        "FROM priorityd.association_usage WHERE cluster_id = $1 "
        "AND association_id = ANY($2::bigint[]) ORDER BY association_id FOR UPDATE",
    .write =
        "UPDATE priorityd.association_usage u SET value = given.value, "
        "as_of = given.as_of, tres_ids = given.tres_ids::integer[], "
        "tres_seconds = given.tres_seconds::double precision[], "
        "wall_seconds = given.wall_seconds, "
        "changed_xid = pg_current_xact_id()::text::bigint "
        "FROM unnest($1::bigint[], $2::double precision[], $3::timestamptz[], $4::text[], "
        "$5::text[], $6::double precision[]) "
        "AS given (id, value, as_of, tres_ids, tres_seconds, wall_seconds) "
        "WHERE u.association_id = given.id",
    .count = "SELECT count(*) FROM priorityd.association_usage WHERE cluster_id = $1"};

constexpr Statements kQos = {
    .list =
        "SELECT qos_id, value, as_of, tres_ids, tres_seconds, wall_seconds "
        "FROM priorityd.qos_usage WHERE cluster_id = $1 AND changed_xid >= $2 "
        "ORDER BY qos_id",
    .create =
        "INSERT INTO priorityd.qos_usage (qos_id, cluster_id) "
        "SELECT id, $1::integer FROM unnest($2::bigint[]) AS id WHERE NOT EXISTS "
        "(SELECT FROM priorityd.qos_usage WHERE qos_id = id) "
        "ORDER BY id ON CONFLICT (qos_id) DO NOTHING",
    .lock =
        "SELECT qos_id, value, as_of, tres_ids, tres_seconds, wall_seconds "
        "FROM priorityd.qos_usage WHERE cluster_id = $1 "
        "AND qos_id = ANY($2::bigint[]) ORDER BY qos_id FOR UPDATE",
    .write =
        "UPDATE priorityd.qos_usage u SET value = given.value, "
        "as_of = given.as_of, tres_ids = given.tres_ids::integer[], "
        "tres_seconds = given.tres_seconds::double precision[], "
        "wall_seconds = given.wall_seconds, "
        "changed_xid = pg_current_xact_id()::text::bigint "
        "FROM unnest($1::bigint[], $2::double precision[], $3::timestamptz[], $4::text[], "
        "$5::text[], $6::double precision[]) "
        "AS given (id, value, as_of, tres_ids, tres_seconds, wall_seconds) "
        "WHERE u.qos_id = given.id",
    .count = "SELECT count(*) FROM priorityd.qos_usage WHERE cluster_id = $1"};

constexpr char kListOpening[] =
    "SELECT association_id, value, as_of FROM priorityd.opening_usage "
    "WHERE cluster_id = $1 AND changed_xid >= $2 ORDER BY association_id";
constexpr char kSetOpening[] =
    "INSERT INTO priorityd.opening_usage (association_id, cluster_id, value, as_of) "
    "SELECT id, $1::integer, value, as_of "
    "FROM unnest($2::bigint[], $3::double precision[], $4::timestamptz[]) "
    "AS given (id, value, as_of) ORDER BY id "
    "ON CONFLICT (association_id) DO UPDATE SET value = EXCLUDED.value, "
    "as_of = EXCLUDED.as_of, changed_xid = EXCLUDED.changed_xid";
constexpr char kWatermark[] = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint";

// Every record settled into a QOS's row is also in that of an association.
constexpr char kLatest[] =
    "SELECT coalesce(max(as_of), '-infinity') FROM priorityd.association_usage "
    "WHERE cluster_id = $1";

const Statements& StatementsOf(UsageOf of) {
  return of == UsageOf::kAssociation ? kAssociation : kQos;
}

UsageRow Decode(RowReader& row) {
  UsageRow usage;
  row.Read(&usage.id, &usage.value, &usage.as_of, &usage.tres_seconds, &usage.wall_seconds);
  return usage;
}

OpeningUsage DecodeOpening(RowReader& row) {
  OpeningUsage opening;
  row.Read(&opening.association_id, &opening.value, &opening.as_of);
  return opening;
}

int64_t DecodeXid(RowReader& row) {
  int64_t xid = 0;
  row.Read(&xid);
  return xid;
}

int64_t DecodeCount(RowReader& row) {
  int64_t count = 0;
  row.Read(&count);
  return count;
}

absl::Time DecodeTime(RowReader& row) {
  absl::Time time;
  row.Read(&time);
  return time;
}

absl::Status WantRows(size_t got, size_t want) {
  if (got == want) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("usage: got ", want, " ids, of which ", got, " are of this cluster, want all"));
}

}  // namespace

absl::StatusOr<std::vector<UsageRow>> UsageStore::List(UsageOf of, int32_t cluster_id,
                                                       int64_t since) {
  return transaction_.Query(Decode, StatementsOf(of).list, {cluster_id, since});
}

absl::StatusOr<std::vector<OpeningUsage>> UsageStore::ListOpening(int32_t cluster_id,
                                                                  int64_t since) {
  return transaction_.Query(DecodeOpening, kListOpening, {cluster_id, since});
}

absl::StatusOr<int64_t> UsageStore::Count(UsageOf of, int32_t cluster_id) {
  return transaction_.QueryOne(DecodeCount, StatementsOf(of).count, {cluster_id});
}

absl::StatusOr<absl::Time> UsageStore::Latest(int32_t cluster_id) {
  return transaction_.QueryOne(DecodeTime, kLatest, {cluster_id});
}

absl::StatusOr<int64_t> UsageStore::Watermark() {
  return transaction_.QueryOne(DecodeXid, kWatermark);
}

absl::StatusOr<std::vector<UsageRow>> UsageStore::Lock(UsageOf of, int32_t cluster_id,
                                                       const std::vector<int64_t>& ids) {
  if (ids.empty()) return std::vector<UsageRow>();
  const Statements& statements = StatementsOf(of);
  // Nearly always all are there.
  auto rows = transaction_.Query(Decode, statements.lock, {cluster_id, ids});
  if (!rows.ok()) return rows.status();
  if (rows->size() == ids.size()) return rows;
  auto created = transaction_.Execute(statements.create, {cluster_id, ids});
  if (!created.ok()) return created.status();
  rows = transaction_.Query(Decode, statements.lock, {cluster_id, ids});
  if (!rows.ok()) return rows.status();
  absl::Status complete = WantRows(rows->size(), ids.size());
  if (!complete.ok()) return complete;
  return rows;
}

absl::Status UsageStore::Write(UsageOf of, absl::Span<const UsageRow> rows) {
  if (rows.empty()) return absl::OkStatus();
  auto column = [&](auto field) {
    return Column(rows, [field](const UsageRow& row) { return row.*field; });
  };
  auto result = transaction_.Execute(
      StatementsOf(of).write,
      {column(&UsageRow::id), column(&UsageRow::value), column(&UsageRow::as_of),
       Column(rows, [](const UsageRow& row) { return TresIds(row.tres_seconds); }),
       Column(rows, [](const UsageRow& row) { return Amounts(row.tres_seconds); }),
       column(&UsageRow::wall_seconds)});
  if (!result.ok()) return result.status();
  return WantRows(result->affected_rows(), rows.size());
}

absl::Status UsageStore::SetOpening(int32_t cluster_id, absl::Span<const OpeningUsage> rows) {
  if (rows.empty()) return absl::OkStatus();
  auto column = [&](auto field) {
    return Column(rows, [field](const OpeningUsage& row) { return row.*field; });
  };
  return transaction_
      .Execute(kSetOpening, {cluster_id, column(&OpeningUsage::association_id),
                             column(&OpeningUsage::value), column(&OpeningUsage::as_of)})
      .status();
}

}  // namespace priorityd::storage
