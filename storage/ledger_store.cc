#include "storage/ledger_store.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "storage/column_table.h"
#include "storage/usage_bucket.h"

namespace priorityd::storage {
namespace {

struct Statements {
  const ColumnTable<UsageRecord>& columns = UsageRecordColumns();
  // OFFSET 0 keeps the planner to one index lookup per wanted record, however large
  // the ledger and however old its statistics.
  std::string find = absl::StrCat(
      "SELECT ", columns.Selected("held."), ", counted.seq IS NULL ",
      "FROM unnest($2::text[], $3::text[]) AS wanted (source, record_id) "
      "CROSS JOIN LATERAL (SELECT * FROM priorityd.usage_record u WHERE u.cluster_id = $1 "
      "AND u.source = wanted.source AND u.record_id = wanted.record_id OFFSET 0) AS held "
      "LEFT JOIN LATERAL (SELECT c.seq FROM priorityd.counted_usage c WHERE c.seq = held.seq "
      "OFFSET 0) AS counted ON true");
  std::string entry = absl::StrCat("SELECT seq, accepted_at, ", columns.Selected(), " FROM ");
  std::string list_ending_after = absl::StrCat(
      entry, "priorityd.counted_usage WHERE association_id = ANY($1::bigint[]) AND end_time > $2");
  std::string list = absl::StrCat(
      entry, columns.Table(), " WHERE cluster_id = $1 AND seq > $2 ORDER BY seq LIMIT $3::bigint");
};

const Statements& Sql() {
  static const auto* const statements = new Statements;
  return *statements;
}

constexpr char kListBucketsEndingAfter[] =
    "SELECT records, start_time, end_time, tres_ids, tres_seconds, billing_seconds, wall_seconds, "
    "association_id, qos_id, usage_factor FROM priorityd.usage_bucket "
    "WHERE association_id = ANY($1::bigint[]) AND end_time > $2";
RecordKey TargetOf(const SubmittedUsage& usage) { return {usage.source, usage.replaces_record_id}; }

HeldRecord DecodeHeld(RowReader& row) {
  HeldRecord held;
  held.record = UsageRecordColumns().Decode(row);
  row.Read(&held.replaced);
  return held;
}

LedgerEntry DecodeEntry(RowReader& row) {
  LedgerEntry entry;
  row.Read(&entry.seq, &entry.accepted_at);
  entry.record = UsageRecordColumns().Decode(row);
  return entry;
}

std::vector<int64_t> SortedUnique(std::vector<int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// The ledger as the records of a batch find it, one after the other.
class Ledger {
 public:
  Ledger(const std::vector<HeldRecord>& held, absl::Time horizon) : horizon_(horizon) {
    for (const HeldRecord& it : held) {
      const RecordKey key = KeyOf(it.record.submitted);
      records_.emplace(key, &it.record);
      if (it.replaced) replaced_.insert(key);
    }
  }

  AppendOutcome Append(const UsageRecord& record) {
    const auto found = records_.find(KeyOf(record.submitted));
    if (found != records_.end()) {
      const bool same = found->second->submitted == record.submitted;
      return same ? AppendOutcome::kDuplicate : AppendOutcome::kConflict;
    }
    if (record.association_id == 0) return AppendOutcome::kUnpriced;
    if (!record.submitted.replaces_record_id.empty()) {
      const auto target = records_.find(TargetOf(record.submitted));
      if (target == records_.end()) {
        return record.submitted.start_time < horizon_ ? AppendOutcome::kTargetTooOld
                                                      : AppendOutcome::kUnknownTarget;
      }
      if (target->second->submitted.end_time < horizon_) return AppendOutcome::kTargetTooOld;
      if (!replaced_.insert(target->first).second) return AppendOutcome::kAlreadyReplaced;
      taken_out_.push_back(target->second);
    }
    records_.emplace(KeyOf(record.submitted), &record);
    appended_.push_back(&record);
    return AppendOutcome::kAccepted;
  }

  const std::vector<const UsageRecord*>& appended() const { return appended_; }

  // A record that was replaced as soon as it came counts at no time.
  Settlement ToSettle() const {
    Settlement settlement;
    const absl::flat_hash_set<const UsageRecord*> out(taken_out_.begin(), taken_out_.end());
    const absl::flat_hash_set<const UsageRecord*> in(appended_.begin(), appended_.end());
    for (const UsageRecord* record : appended_) {
      if (!out.contains(record)) settlement.accepted.push_back(record);
    }
    for (const UsageRecord* record : taken_out_) {
      if (!in.contains(record)) settlement.replaced.push_back(record);
    }
    return settlement;
  }

 private:
  const absl::Time horizon_;
  absl::flat_hash_map<RecordKey, const UsageRecord*> records_;
  absl::flat_hash_set<RecordKey> replaced_;
  std::vector<const UsageRecord*> appended_;
  std::vector<const UsageRecord*> taken_out_;
};

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
       C::Key<&R::billing_rate>("billing_rate"), C::Key<&R::usage_factor>("usage_factor")});
  return *columns;
}

absl::StatusOr<std::vector<AppendOutcome>> LedgerStore::Append(
    int32_t cluster_id, absl::Span<const UsageRecord* const> batch,
    absl::FunctionRef<absl::Status(Settlement&)> settle, absl::Time horizon) {
  absl::StatusOr<std::vector<HeldRecord>> held = FindHeld(cluster_id, batch);
  if (!held.ok()) return held.status();
  Ledger ledger(*held, horizon);
  std::vector<AppendOutcome> outcomes;
  outcomes.reserve(batch.size());
  for (const UsageRecord* record : batch) outcomes.push_back(ledger.Append(*record));
  absl::Status status = Insert(cluster_id, ledger.appended());
  if (status.ok()) status = Settle(cluster_id, ledger.ToSettle(), settle);
  if (!status.ok()) return status;
  return outcomes;
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
      DecodeHeld, Sql().find,
      {cluster_id, Column(keys, [](const RecordKey& key) { return key.first; }),
       Column(keys, [](const RecordKey& key) { return key.second; })});
}

absl::StatusOr<std::vector<HeldRecord>> LedgerStore::FindHeld(
    int32_t cluster_id, absl::Span<const UsageRecord* const> batch) {
  absl::flat_hash_set<RecordKey> wanted;
  for (const UsageRecord* record : batch) {
    wanted.insert(KeyOf(record->submitted));
    if (!record->submitted.replaces_record_id.empty()) wanted.insert(TargetOf(record->submitted));
  }
  return Find(cluster_id, std::vector<RecordKey>(wanted.begin(), wanted.end()));
}

absl::Status LedgerStore::Settle(int32_t cluster_id, Settlement settlement,
                                 absl::FunctionRef<absl::Status(Settlement&)> settle) {
  if (settlement.accepted.empty() && settlement.replaced.empty()) return absl::OkStatus();
  std::vector<int64_t> associations;
  std::vector<int64_t> qos;
  for (const auto* records : {&settlement.accepted, &settlement.replaced}) {
    for (const UsageRecord* record : *records) {
      associations.push_back(record->association_id);
      if (record->qos_id.has_value()) qos.push_back(*record->qos_id);
    }
  }
  UsageStore store(transaction_);
  auto association_rows =
      store.Lock(UsageOf::kAssociation, cluster_id, SortedUnique(std::move(associations)));
  if (!association_rows.ok()) return association_rows.status();
  settlement.associations = *std::move(association_rows);
  auto qos_rows = store.Lock(UsageOf::kQos, cluster_id, SortedUnique(std::move(qos)));
  if (!qos_rows.ok()) return qos_rows.status();
  settlement.qos = *std::move(qos_rows);
  absl::Status status = settle(settlement);
  if (status.ok()) status = store.Write(UsageOf::kAssociation, settlement.associations);
  if (status.ok()) status = store.Write(UsageOf::kQos, settlement.qos);
  return status;
}

absl::StatusOr<std::vector<UsageRecord>> LedgerStore::ListEndingAfter(
    absl::Time time, const std::vector<int64_t>& association_ids) {
  auto entries = transaction_.Query(DecodeEntry, Sql().list_ending_after, {association_ids, time});
  if (!entries.ok()) return entries.status();
  auto buckets = transaction_.Query(DecodeBucket, kListBucketsEndingAfter, {association_ids, time});
  if (!buckets.ok()) return buckets.status();
  std::vector<UsageRecord> records;
  records.reserve(entries->size() + buckets->size());
  for (LedgerEntry& entry : *entries) records.push_back(std::move(entry.record));
  for (UsageBucket& bucket : *buckets) records.push_back(std::move(bucket.average));
  return records;
}

absl::StatusOr<std::vector<LedgerEntry>> LedgerStore::List(int32_t cluster_id, int64_t after,
                                                           int64_t limit) {
  return transaction_.Query(DecodeEntry, Sql().list, {cluster_id, after, limit});
}

}  // namespace priorityd::storage
