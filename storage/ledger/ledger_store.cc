#include "storage/ledger/ledger_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "storage/database/column_table.h"
#include "storage/database/key_range.h"
#include "storage/ledger/usage_bucket.h"

namespace priorityd::storage {
namespace {

struct LedgerStatements {
  const ColumnTable<UsageRecord>& columns = UsageRecordColumns();
  // Whether one is replaced: as in the view counted_usage.
  std::string find = absl::StrCat(
      "SELECT ", columns.Selected("held."), ", replacement.seq IS NOT NULL ",
      "FROM unnest($2::text[], $3::text[]) AS wanted (source, record_id) "
      "CROSS JOIN LATERAL (SELECT * FROM priorityd.usage_record u WHERE u.cluster_id = $1 "
      "AND u.source = wanted.source AND ",
      IsByIndex("u.record_id", "wanted.record_id"),
      ") AS held LEFT JOIN LATERAL (SELECT r.seq FROM priorityd.usage_record r "
      "WHERE r.cluster_id = $1 AND r.source = held.source AND r.replaces_record_id <> '' AND ",
      IsByIndex("r.replaces_record_id", "held.record_id"), ") AS replacement ON true");
  std::string entry = absl::StrCat("SELECT seq, ", columns.Selected(), " FROM ");
  std::string list = absl::StrCat(
      entry, columns.Table(), " WHERE cluster_id = $1 AND seq > $2 ORDER BY seq LIMIT $3::bigint");
};

const LedgerStatements& LedgerSql() {
  static const auto* const statements = new LedgerStatements;
  return *statements;
}

constexpr char kSelectBuckets[] =
    "SELECT records, start_time, end_time, tres_ids, tres_seconds, billing_seconds, wall_seconds, "
    "association_id, qos_id, usage_factor FROM priorityd.usage_bucket";

// Of `selected` what ends after $3 and is of $2. The SELECT keeps the cluster from the planner: see
// storage/database/key_range.h.
std::string EndingAfter(absl::string_view selected, UsageOf of) {
  const char* id = of == UsageOf::kAssociation ? "association_id" : "qos_id";
  return absl::StrCat(selected, " WHERE cluster_id = (SELECT $1::integer) AND ", id,
                      " = ANY($2::bigint[]) AND end_time > $3");
}

HeldRecord DecodeHeld(RowReader& row) {
  HeldRecord held;
  held.record = UsageRecordColumns().Decode(row);
  row.Read(&held.replaced);
  return held;
}

LedgerEntry DecodeLedgerEntry(RowReader& row) {
  LedgerEntry entry;
  row.Read(&entry.seq);
  entry.record = UsageRecordColumns().Decode(row);
  return entry;
}

template <auto kMember>
ColumnTable<UsageRecord>::Field Submitted(const char* name) {
  return ColumnTable<UsageRecord>::Key<&UsageRecord::submitted, kMember>(name);
}

}  // namespace

const ColumnTable<UsageRecord>& UsageRecordColumns() {
  using C = ColumnTable<UsageRecord>;
  using R = UsageRecord;
  static const auto* const columns = new C(
      "usage_record", {"seq", "cluster_id", "accepted_at"},
      {Submitted<&SubmittedUsage::source>("source"),
       Submitted<&SubmittedUsage::record_id>("record_id"),
       Submitted<&SubmittedUsage::job_id>("job_id"),
       Submitted<&SubmittedUsage::user_name>("user_name"),
       Submitted<&SubmittedUsage::account>("account"),
       Submitted<&SubmittedUsage::partition>("partition"), Submitted<&SubmittedUsage::qos>("qos"),
       Submitted<&SubmittedUsage::start_time>("start_time"),
       Submitted<&SubmittedUsage::end_time>("end_time"),
       C::ListFirst<&R::submitted, &SubmittedUsage::tres>("tres_ids"),
       C::ListSecond<&R::submitted, &SubmittedUsage::tres>("tres_counts"),
       Submitted<&SubmittedUsage::billing>("billing"),
       Submitted<&SubmittedUsage::replaces_record_id>("replaces_record_id"),
       C::Key<&R::association_id>("association_id"), C::Key<&R::qos_id>("qos_id"),
       C::Key<&R::billing_rate>("billing_rate"), C::Key<&R::usage_factor>("usage_factor"),
       C::Key<&R::recorded_by>("recorded_by")});
  return *columns;
}

// Sorted, so that two transactions that insert the same keys wait for each other
// in one direction only.
absl::Status LedgerStore::Insert(int32_t cluster_id, std::vector<const UsageRecord*> records) {
  if (records.empty()) return absl::OkStatus();
  std::sort(records.begin(), records.end(), [](const UsageRecord* a, const UsageRecord* b) {
    return KeyOf(a->submitted) < KeyOf(b->submitted);
  });
  const ColumnTable<UsageRecord>& columns = UsageRecordColumns();
  return transaction_.Copy(columns.Table(), columns.WrittenNames({"cluster_id"}), records.size(),
                           [&](size_t i) {
                             CopyLine line;
                             line.Add(cluster_id);
                             columns.AddTo(line, *records[i]);
                             return line;
                           });
}

absl::StatusOr<std::vector<HeldRecord>> LedgerStore::Find(int32_t cluster_id,
                                                          absl::Span<const RecordKey> keys) {
  if (keys.empty()) return std::vector<HeldRecord>();
  return transaction_.Query(
      DecodeHeld, LedgerSql().find,
      {cluster_id, Column(keys, [](const RecordKey& key) { return key.first; }),
       Column(keys, [](const RecordKey& key) { return key.second; })});
}

absl::StatusOr<std::vector<UsageRecord>> LedgerStore::ListEndingAfter(
    UsageOf of, int32_t cluster_id, absl::Time time, const std::vector<int64_t>& ids) {
  if (ids.empty()) return std::vector<UsageRecord>();
  auto entries = transaction_.Query(
      DecodeLedgerEntry,
      EndingAfter(absl::StrCat(LedgerSql().entry, "priorityd.counted_usage"), of),
      {cluster_id, ids, time});
  if (!entries.ok()) return entries.status();
  auto buckets =
      transaction_.Query(DecodeBucket, EndingAfter(kSelectBuckets, of), {cluster_id, ids, time});
  if (!buckets.ok()) return buckets.status();
  std::vector<UsageRecord> records;
  records.reserve(entries->size() + buckets->size());
  for (LedgerEntry& entry : *entries) records.push_back(std::move(entry.record));
  for (UsageBucket& bucket : *buckets) records.push_back(std::move(bucket.average));
  return records;
}

absl::StatusOr<std::vector<LedgerEntry>> LedgerStore::List(int32_t cluster_id, int64_t after,
                                                           int64_t limit) {
  return transaction_.Query(DecodeLedgerEntry, LedgerSql().list, {cluster_id, after, limit});
}

}  // namespace priorityd::storage
