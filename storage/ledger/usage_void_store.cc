#include "storage/ledger/usage_void_store.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "storage/database/column_table.h"
#include "storage/database/key_range.h"
#include "storage/database/parameter.h"
#include "storage/ledger/job_accounting_store.h"

namespace priorityd::storage {
namespace {

constexpr char kInsertVoid[] =
    "INSERT INTO priorityd.usage_void (cluster_id, id, sources, job_ids, user_names, accounts, "
    "ended_from, ended_before, recorded_from, recorded_before, last_seq, state, done_seq) "
    "SELECT $1::integer, coalesce(max(id), 0) + 1, $2::text[], $3::text[], $4::text[], "
    "$5::text[], $6::timestamptz, $7::timestamptz, $8::timestamptz, $9::timestamptz, $10::bigint, "
    "$11::text, $12::bigint FROM priorityd.usage_void WHERE cluster_id = $1 RETURNING id";
constexpr char kLock[] =
    "SELECT id, sources, job_ids, user_names, accounts, ended_from, ended_before, recorded_from, "
    "recorded_before, last_seq, state, done_seq, voided_records, restored_records, voided_usage "
    "FROM priorityd.usage_void WHERE cluster_id = $1 AND id = $2 FOR UPDATE";
constexpr char kUpdate[] =
    "UPDATE priorityd.usage_void SET state = $3, done_seq = $4, voided_records = $5, "
    "restored_records = $6, voided_usage = $7 WHERE cluster_id = $1 AND id = $2";
// The SELECT keeps the cluster from the planner: see storage/database/key_range.h.
constexpr char kOfAccounts[] =
    "SELECT id FROM priorityd.association WHERE cluster_id = $1 AND account = ANY($2::text[])";
constexpr char kRolledUp[] =
    "SELECT coalesce(sum(records), 0)::bigint FROM priorityd.usage_bucket "
    "WHERE cluster_id = (SELECT $1::integer) AND end_time >= $2 AND end_time < $3 "
    "AND ($4::text[] = '{}' OR user_name = ANY($4::text[])) "
    "AND (NOT $5::boolean OR association_id = ANY($6::bigint[]))";

struct VoidStatements {
  const ColumnTable<UsageRecord>& columns = UsageRecordColumns();
  std::string fitting = absl::StrCat(
      "SELECT seq, ", columns.Selected("u."),
      " FROM priorityd.usage_record u WHERE cluster_id = (SELECT $1::integer) AND seq > $2 "
      "AND seq <= $3 AND end_time >= greatest($4::timestamptz, "
      "(SELECT ledger_horizon FROM priorityd.cluster WHERE id = $1)) AND end_time < $5 "
      "AND accepted_at >= $6 AND accepted_at < $7 "
      "AND ($8::text[] = '{}' OR source = ANY($8::text[])) "
      "AND ($9::text[] = '{}' OR job_id = ANY($9::text[])) "
      "AND ($10::text[] = '{}' OR user_name = ANY($10::text[])) "
      "AND (NOT $11::boolean OR association_id = ANY($12::bigint[])) "
      "AND NOT starts_with(record_id, '",
      kVoidPrefix, "') AND ", IsCounted(), " ORDER BY seq LIMIT $13::bigint");
  std::string voided = absl::StrCat(
      "SELECT m.seq, m.record_id, ", columns.Selected("u."),
      " FROM (SELECT seq, source, record_id, replaces_record_id FROM priorityd.usage_record u "
      "WHERE cluster_id = (SELECT $1::integer) AND seq > $2 AND starts_with(record_id, $3) AND ",
      IsCounted(),
      " ORDER BY seq LIMIT $4::bigint) AS m CROSS JOIN LATERAL (SELECT * FROM "
      "priorityd.usage_record u WHERE u.cluster_id = $1 AND u.source = m.source AND ",
      IsByIndex("u.record_id", "m.replaces_record_id"), ") AS u ORDER BY m.seq");
  std::string copy = CopyStatement();

  static std::string CopyStatement() {
    std::vector<std::string> columns = JobAccountingColumns().WrittenNames();
    columns.erase(columns.begin(), columns.begin() + 2);  // source, record_id
    return absl::StrCat(
        "INSERT INTO priorityd.job_accounting (cluster_id, source, record_id, ",
        absl::StrJoin(columns, ", "), ") SELECT $1::integer, j.source, c.wanted, ",
        absl::StrJoin(
            columns, ", ",
            [](std::string* out, const std::string& name) { absl::StrAppend(out, "j.", name); }),
        " FROM unnest($2::text[], $3::text[], $4::text[]) AS c (source, known, wanted) "
        "CROSS JOIN LATERAL (SELECT * FROM priorityd.job_accounting a WHERE a.cluster_id = $1 "
        "AND a.source = c.source AND ",
        IsByIndex("a.record_id", "c.known"), ") AS j ON CONFLICT DO NOTHING");
  }
};

const VoidStatements& VoidSql() {
  static const auto* const statements = new VoidStatements;
  return *statements;
}

UsageVoid DecodeVoid(RowReader& row) {
  UsageVoid read;
  VoidFilter& filter = read.filter;
  row.Read(&read.id, &filter.sources, &filter.job_ids, &filter.users, &filter.accounts,
           &filter.ended_from, &filter.ended_before, &filter.recorded_from, &filter.recorded_before,
           &read.last_seq, &read.state, &read.done_seq, &read.voided_records,
           &read.restored_records, &read.voided_usage);
  return read;
}

PlacedRecord DecodePlaced(RowReader& row) {
  PlacedRecord placed;
  row.Read(&placed.seq);
  placed.record = UsageRecordColumns().Decode(row);
  return placed;
}

VoidedRecord DecodeVoided(RowReader& row) {
  VoidedRecord voided;
  row.Read(&voided.seq, &voided.void_id);
  voided.record = UsageRecordColumns().Decode(row);
  return voided;
}

// The associations of the filter's accounts.
absl::StatusOr<std::vector<int64_t>> AssociationsOf(Transaction& transaction, int32_t cluster_id,
                                                    const VoidFilter& filter) {
  if (filter.accounts.empty()) return std::vector<int64_t>();
  return transaction.Query(OnlyColumn<int64_t>, kOfAccounts, {cluster_id, filter.accounts});
}

}  // namespace

std::string VoidRecordId(int64_t id, int64_t seq) {
  return absl::StrCat(kVoidPrefix, id, ":", seq);
}

std::string RestoreRecordId(int64_t id, int64_t seq) {
  return absl::StrCat(kRestorePrefix, id, ":", seq);
}

absl::StatusOr<int64_t> UsageVoidStore::Insert(int32_t cluster_id, const UsageVoid& row) {
  const VoidFilter& filter = row.filter;
  return transaction_.QueryOne(
      OnlyColumn<int64_t>, kInsertVoid,
      {cluster_id, filter.sources, filter.job_ids, filter.users, filter.accounts, filter.ended_from,
       filter.ended_before, filter.recorded_from, filter.recorded_before, row.last_seq, row.state,
       row.done_seq});
}

absl::StatusOr<std::optional<UsageVoid>> UsageVoidStore::Lock(int32_t cluster_id, int64_t id) {
  return transaction_.QueryOptional(DecodeVoid, kLock, {cluster_id, id});
}

absl::Status UsageVoidStore::Update(int32_t cluster_id, const UsageVoid& row) {
  return transaction_
      .Execute(kUpdate, {cluster_id, row.id, row.state, row.done_seq, row.voided_records,
                         row.restored_records, row.voided_usage})
      .status();
}

absl::StatusOr<std::vector<PlacedRecord>> UsageVoidStore::Fitting(int32_t cluster_id,
                                                                  const VoidFilter& filter,
                                                                  int64_t after, int64_t upto,
                                                                  int64_t limit) {
  auto associations = AssociationsOf(transaction_, cluster_id, filter);
  if (!associations.ok()) return associations.status();
  return transaction_.Query(
      DecodePlaced, VoidSql().fitting,
      {cluster_id, after, upto, filter.ended_from, filter.ended_before, filter.recorded_from,
       filter.recorded_before, filter.sources, filter.job_ids, filter.users,
       !filter.accounts.empty(), *associations, limit});
}

absl::StatusOr<std::vector<VoidedRecord>> UsageVoidStore::Voided(int32_t cluster_id, int64_t id,
                                                                 int64_t after, int64_t limit) {
  return transaction_.Query(DecodeVoided, VoidSql().voided,
                            {cluster_id, after, absl::StrCat(kVoidPrefix, id, ":"), limit});
}

absl::StatusOr<int64_t> UsageVoidStore::CountRolledUp(int32_t cluster_id,
                                                      const VoidFilter& filter) {
  auto associations = AssociationsOf(transaction_, cluster_id, filter);
  if (!associations.ok()) return associations.status();
  return transaction_.QueryOne(OnlyColumn<int64_t>, kRolledUp,
                               {cluster_id, filter.ended_from, filter.ended_before, filter.users,
                                !filter.accounts.empty(), *associations});
}

absl::Status UsageVoidStore::CopyJobAccounting(int32_t cluster_id, absl::Span<const Copy> copies) {
  if (copies.empty()) return absl::OkStatus();
  const auto column = [&](std::string Copy::*field) {
    return Column(copies, [field](const Copy& copy) { return copy.*field; });
  };
  return transaction_
      .Execute(VoidSql().copy,
               {cluster_id, column(&Copy::source), column(&Copy::from), column(&Copy::to)})
      .status();
}

}  // namespace priorityd::storage
