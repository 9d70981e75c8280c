#include "storage/ledger_store.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "storage/amount_columns.h"
#include "storage/usage_bucket.h"

namespace priorityd::storage {
namespace {

constexpr char kTable[] = "priorityd.usage_record";
constexpr const char* kColumns[] = {"cluster_id",     "source",
                                    "record_id",      "job_id",
                                    "user_name",      "account",
                                    "partition",      "qos",
                                    "start_time",     "end_time",
                                    "tres_ids",       "tres_counts",
                                    "billing",        "replaces_record_id",
                                    "association_id", "qos_id",
                                    "billing_rate",   "usage_factor"};
// OFFSET 0 keeps the planner to one index lookup per wanted record, however large
// the ledger and however old its statistics.
constexpr char kFind[] =
    "SELECT held.*, replacing.seq IS NOT NULL "
    "FROM unnest($2::text[], $3::text[]) AS wanted (source, record_id) "
    "CROSS JOIN LATERAL (SELECT u.source, u.record_id, job_id, user_name, account, partition, qos, "
    "start_time, end_time, tres_ids, tres_counts, billing, replaces_record_id, association_id, "
    "qos_id, billing_rate, usage_factor FROM priorityd.usage_record u WHERE u.cluster_id = $1 "
    "AND u.source = wanted.source AND u.record_id = wanted.record_id OFFSET 0) AS held "
    "LEFT JOIN LATERAL (SELECT r.seq FROM priorityd.usage_record r WHERE r.cluster_id = $1 "
    "AND r.source = held.source AND r.replaces_record_id = held.record_id "
    "AND r.replaces_record_id <> '' OFFSET 0) AS replacing ON true";
constexpr char kListEndingAfter[] =
    "SELECT seq, source, record_id, job_id, user_name, account, partition, qos, start_time, "
    "end_time, tres_ids, tres_counts, billing, replaces_record_id, association_id, qos_id, "
    "billing_rate, usage_factor, accepted_at FROM priorityd.usage_record u "
    "WHERE association_id = ANY($1::bigint[]) AND end_time > $2 AND NOT EXISTS "
    "(SELECT FROM priorityd.usage_record r WHERE r.cluster_id = u.cluster_id "
    "AND r.source = u.source AND r.replaces_record_id = u.record_id "
    "AND r.replaces_record_id <> '')";
constexpr char kListBucketsEndingAfter[] =
    "SELECT records, start_time, end_time, tres_ids, tres_seconds, billing_seconds, wall_seconds, "
    "association_id, qos_id, usage_factor FROM priorityd.usage_bucket "
    "WHERE association_id = ANY($1::bigint[]) AND end_time > $2";
constexpr char kList[] =
    "SELECT seq, source, record_id, job_id, user_name, account, partition, qos, start_time, "
    "end_time, tres_ids, tres_counts, billing, replaces_record_id, association_id, qos_id, "
    "billing_rate, usage_factor, accepted_at FROM priorityd.usage_record "
    "WHERE cluster_id = $1 AND seq > $2 ORDER BY seq LIMIT $3::bigint";

RecordKey TargetOf(const SubmittedUsage& usage) { return {usage.source, usage.replaces_record_id}; }

void ReadSubmitted(RowReader& row, SubmittedUsage* usage) {
  row.Read(&usage->source, &usage->record_id, &usage->job_id, &usage->user_name, &usage->account,
           &usage->partition, &usage->qos, &usage->start_time, &usage->end_time, &usage->tres,
           &usage->billing, &usage->replaces_record_id);
}

void ReadRecord(RowReader& row, UsageRecord* record) {
  ReadSubmitted(row, &record->submitted);
  row.Read(&record->association_id, &record->qos_id, &record->billing_rate, &record->usage_factor);
}

HeldRecord DecodeHeld(RowReader& row) {
  HeldRecord held;
  ReadRecord(row, &held.record);
  row.Read(&held.replaced);
  return held;
}

LedgerEntry DecodeEntry(RowReader& row) {
  LedgerEntry entry;
  row.Read(&entry.seq);
  ReadRecord(row, &entry.record);
  row.Read(&entry.accepted_at);
  return entry;
}

// In the order of kColumns.
CopyLine ToLine(int32_t cluster_id, const UsageRecord& record) {
  const SubmittedUsage& usage = record.submitted;
  CopyLine line;
  line.Add(cluster_id);
  for (const std::string* text : {&usage.source, &usage.record_id, &usage.job_id, &usage.user_name,
                                  &usage.account, &usage.partition, &usage.qos}) {
    line.Add(*text);
  }
  line.Add(usage.start_time);
  line.Add(usage.end_time);
  line.Add(TresIds(usage.tres));
  line.Add(Amounts(usage.tres));
  line.Add(usage.billing);
  line.Add(usage.replaces_record_id);
  line.Add(record.association_id);
  line.Add(record.qos_id);
  line.Add(record.billing_rate);
  line.Add(record.usage_factor);
  return line;
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

}  // namespace

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
  return transaction_.Copy(kTable, kColumns, records.size(),
                           [&](size_t i) { return ToLine(cluster_id, *records[i]); });
}

absl::StatusOr<std::vector<HeldRecord>> LedgerStore::Find(int32_t cluster_id,
                                                          absl::Span<const RecordKey> keys) {
  if (keys.empty()) return std::vector<HeldRecord>();
  return transaction_.Query(
      DecodeHeld, kFind,
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
  auto entries = transaction_.Query(DecodeEntry, kListEndingAfter, {association_ids, time});
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
  return transaction_.Query(DecodeEntry, kList, {cluster_id, after, limit});
}

}  // namespace priorityd::storage
