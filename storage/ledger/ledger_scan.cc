#include "storage/ledger/ledger_scan.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "storage/database/key_range.h"

namespace priorityd::storage {
namespace {

constexpr char kEnd[] =
    "SELECT coalesce(max(seq), 0) FROM priorityd.usage_record WHERE cluster_id = $1";
constexpr char kEnds[] =
    "SELECT coalesce((SELECT max(seq) FROM priorityd.usage_record u WHERE u.cluster_id = "
    "given.id), "
    "0) FROM unnest($1::integer[]) WITH ORDINALITY AS given (id, place) ORDER BY place";
// The SELECT keeps the cluster from the planner: see storage/database/key_range.h.
constexpr char kReadReplaced[] =
    "SELECT u.seq, u.start_time, u.end_time, u.tres_ids, u.tres_counts, u.association_id, "
    "u.qos_id, u.billing_rate, u.usage_factor, u.partition FROM priorityd.usage_record r "
    "JOIN priorityd.usage_record u ON u.cluster_id = r.cluster_id AND u.source = r.source "
    "AND u.record_id = r.replaces_record_id WHERE r.cluster_id = (SELECT $1::integer) AND r.seq > "
    "$2 "
    "AND r.seq <= $3 AND r.replaces_record_id <> '' AND u.seq <= $2";
constexpr char kDeclareBuckets[] =
    "DECLARE buckets NO SCROLL CURSOR FOR SELECT records, start_time, end_time, tres_ids, "
    "tres_seconds, billing_seconds, wall_seconds, association_id, qos_id, usage_factor "
    "FROM priorityd.usage_bucket WHERE cluster_id = $1";
constexpr char kFetchBuckets[] = "FETCH 20000 FROM buckets";
// Few, but for a roll-up that is under way.
constexpr char kDeclareOld[] =
    "DECLARE old NO SCROLL CURSOR FOR SELECT seq, start_time, end_time, tres_ids, tres_counts, "
    "association_id, qos_id, billing_rate, usage_factor, partition FROM priorityd.counted_usage "
    "WHERE cluster_id = (SELECT $1::integer) AND end_time < $2";
constexpr char kFetchOld[] = "FETCH 20000 FROM old";
constexpr char kDeclareLater[] =
    "DECLARE later NO SCROLL CURSOR FOR SELECT seq, start_time, end_time, tres_ids, tres_counts, "
    "association_id, qos_id, billing_rate, usage_factor, partition FROM priorityd.counted_usage "
    "WHERE cluster_id = (SELECT $1::integer) AND end_time > $2";
constexpr char kFetchLater[] = "FETCH 20000 FROM later";
constexpr char kDeclareLaterBuckets[] =
    "DECLARE later_buckets NO SCROLL CURSOR FOR SELECT records, start_time, end_time, tres_ids, "
    "tres_seconds, billing_seconds, wall_seconds, association_id, qos_id, usage_factor "
    "FROM priorityd.usage_bucket WHERE cluster_id = $1 AND end_time > $2";
constexpr char kFetchLaterBuckets[] = "FETCH 20000 FROM later_buckets";

const std::string& ReadStatement() {
  static const auto* const statement = new std::string(absl::StrCat(
      "SELECT seq, start_time, end_time, tres_ids, tres_counts, association_id, qos_id, "
      "billing_rate, usage_factor, partition FROM priorityd.usage_record u "
      "WHERE cluster_id = (SELECT $1::integer) AND seq > $2 AND seq <= $3 AND end_time >= $5 AND ",
      IsCounted("r.seq <= $3"), " ORDER BY seq LIMIT $4::bigint"));
  return *statement;
}

struct Entry {
  int64_t seq = 0;
  UsageRecord record;
};

Entry DecodeEntry(RowReader& row) {
  Entry entry;
  UsageRecord& record = entry.record;
  row.Read(&entry.seq, &record.submitted.start_time, &record.submitted.end_time,
           &record.submitted.tres, &record.association_id, &record.qos_id, &record.billing_rate,
           &record.usage_factor, &record.submitted.partition);
  return entry;
}

UsageRecord DecodeOld(RowReader& row) { return DecodeEntry(row).record; }
UsageRecord DecodeAverage(RowReader& row) { return DecodeBucket(row).average; }

std::vector<UsageRecord> RecordsOf(std::vector<Entry> entries) {
  std::vector<UsageRecord> records;
  records.reserve(entries.size());
  for (Entry& entry : entries) records.push_back(std::move(entry.record));
  return records;
}

}  // namespace

absl::StatusOr<int64_t> LedgerScan::End(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kEnd, {cluster_id});
}

absl::StatusOr<std::vector<int64_t>> LedgerScan::Ends(const std::vector<int32_t>& cluster_ids) {
  return transaction_.Query(OnlyColumn<int64_t>, kEnds, {cluster_ids});
}

absl::Status LedgerScan::ReadBuckets(
    int32_t cluster_id, absl::FunctionRef<void(const std::vector<UsageBucket>&)> take) {
  return ReadAll(kDeclareBuckets, {cluster_id}, kFetchBuckets, DecodeBucket, take);
}

absl::Status LedgerScan::ReadOld(int32_t cluster_id, absl::Time horizon,
                                 absl::FunctionRef<void(const std::vector<UsageRecord>&)> take) {
  return ReadAll(kDeclareOld, {cluster_id, horizon}, kFetchOld, DecodeOld, take);
}

absl::Status LedgerScan::ReadEndingAfter(
    int32_t cluster_id, absl::Time time,
    absl::FunctionRef<void(const std::vector<UsageRecord>&)> take) {
  absl::Status status = ReadAll(kDeclareLater, {cluster_id, time}, kFetchLater, DecodeOld, take);
  if (!status.ok()) return status;
  return ReadAll(kDeclareLaterBuckets, {cluster_id, time}, kFetchLaterBuckets, DecodeAverage, take);
}

template <typename T>
absl::Status LedgerScan::ReadAll(const char* declare, absl::Span<const Parameter> parameters,
                                 const char* fetch, T (*decode)(RowReader&),
                                 absl::FunctionRef<void(const std::vector<T>&)> take) {
  auto declared = transaction_.Execute(declare, parameters);
  if (!declared.ok()) return declared.status();
  for (;;) {
    auto page = transaction_.Query(decode, fetch);
    if (!page.ok()) return page.status();
    if (page->empty()) return absl::OkStatus();
    take(*page);
  }
}

absl::StatusOr<LedgerPage> LedgerScan::Read(int32_t cluster_id, const LedgerRange& range,
                                            int64_t from, int64_t limit) {
  auto entries = transaction_.Query(DecodeEntry, ReadStatement(),
                                    {cluster_id, from, range.upto, limit, range.horizon});
  if (!entries.ok()) return entries.status();
  LedgerPage page;
  const bool is_full = static_cast<int64_t>(entries->size()) == limit;
  page.next = is_full ? entries->back().seq : range.upto;
  page.records = RecordsOf(*std::move(entries));
  return page;
}

absl::StatusOr<std::vector<UsageRecord>> LedgerScan::ReadReplaced(int32_t cluster_id,
                                                                  const LedgerRange& range) {
  auto entries =
      transaction_.Query(DecodeEntry, kReadReplaced, {cluster_id, range.after, range.upto});
  if (!entries.ok()) return entries.status();
  return RecordsOf(*std::move(entries));
}

}  // namespace priorityd::storage
