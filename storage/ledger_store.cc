#include "storage/ledger_store.h"

#include <algorithm>
#include <utility>

#include "storage/amount_columns.h"

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
    "SELECT held.* FROM unnest($2::text[], $3::text[]) AS wanted (source, record_id) "
    "CROSS JOIN LATERAL (SELECT u.source, u.record_id, job_id, user_name, account, partition, qos, "
    "start_time, end_time, tres_ids, tres_counts, billing, replaces_record_id "
    "FROM priorityd.usage_record u WHERE u.cluster_id = $1 AND u.source = wanted.source "
    "AND u.record_id = wanted.record_id OFFSET 0) AS held";
constexpr char kListEndingAfter[] =
    "SELECT seq, source, record_id, job_id, user_name, account, partition, qos, start_time, "
    "end_time, tres_ids, tres_counts, billing, replaces_record_id, association_id, qos_id, "
    "billing_rate, usage_factor, accepted_at FROM priorityd.usage_record "
    "WHERE association_id = ANY($1::bigint[]) AND end_time > $2";
constexpr char kList[] =
    "SELECT seq, source, record_id, job_id, user_name, account, partition, qos, start_time, "
    "end_time, tres_ids, tres_counts, billing, replaces_record_id, association_id, qos_id, "
    "billing_rate, usage_factor, accepted_at FROM priorityd.usage_record "
    "WHERE cluster_id = $1 AND seq > $2 ORDER BY seq LIMIT $3::bigint";

std::pair<absl::string_view, absl::string_view> KeyOf(const SubmittedUsage& usage) {
  return {usage.source, usage.record_id};
}

void ReadSubmitted(RowReader& row, SubmittedUsage* usage) {
  row.Read(&usage->source, &usage->record_id, &usage->job_id, &usage->user_name, &usage->account,
           &usage->partition, &usage->qos, &usage->start_time, &usage->end_time, &usage->tres,
           &usage->billing, &usage->replaces_record_id);
}

SubmittedUsage DecodeSubmitted(RowReader& row) {
  SubmittedUsage usage;
  ReadSubmitted(row, &usage);
  return usage;
}

LedgerEntry DecodeEntry(RowReader& row) {
  LedgerEntry entry;
  UsageRecord& record = entry.record;
  row.Read(&entry.seq);
  ReadSubmitted(row, &record.submitted);
  row.Read(&record.association_id, &record.qos_id, &record.billing_rate, &record.usage_factor,
           &entry.accepted_at);
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

}  // namespace

absl::StatusOr<std::vector<AppendOutcome>> LedgerStore::Append(
    int32_t cluster_id, absl::Span<const UsageRecord* const> batch,
    absl::FunctionRef<absl::Status(Settlement&)> settle) {
  absl::flat_hash_map<Key, const UsageRecord*> firsts;
  for (const UsageRecord* record : batch) firsts.try_emplace(KeyOf(record->submitted), record);
  absl::StatusOr<std::vector<SubmittedUsage>> held = FindHeld(cluster_id, firsts);
  if (!held.ok()) return held.status();
  absl::flat_hash_map<Key, const SubmittedUsage*> in_ledger;
  for (const SubmittedUsage& usage : *held) in_ledger.emplace(KeyOf(usage), &usage);

  std::vector<AppendOutcome> outcomes;
  std::vector<const UsageRecord*> accepted;
  for (const UsageRecord* record : batch) {
    const Key key = KeyOf(record->submitted);
    const auto found = in_ledger.find(key);
    const UsageRecord* first = firsts.at(key);
    if (found == in_ledger.end() && first == record) {
      outcomes.push_back(AppendOutcome::kAccepted);
      accepted.push_back(record);
      continue;
    }
    const SubmittedUsage& truth = found == in_ledger.end() ? first->submitted : *found->second;
    outcomes.push_back(record->submitted == truth ? AppendOutcome::kDuplicate
                                                  : AppendOutcome::kConflict);
  }
  absl::Status status = Insert(cluster_id, accepted);
  if (status.ok()) status = Settle(cluster_id, std::move(accepted), settle);
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

absl::StatusOr<std::vector<SubmittedUsage>> LedgerStore::FindHeld(
    int32_t cluster_id, const absl::flat_hash_map<Key, const UsageRecord*>& wanted) {
  if (wanted.empty()) return std::vector<SubmittedUsage>();
  return transaction_.Query(
      DecodeSubmitted, kFind,
      {cluster_id, Column(wanted, [](const auto& entry) { return entry.first.first; }),
       Column(wanted, [](const auto& entry) { return entry.first.second; })});
}

absl::Status LedgerStore::Settle(int32_t cluster_id, std::vector<const UsageRecord*> accepted,
                                 absl::FunctionRef<absl::Status(Settlement&)> settle) {
  if (accepted.empty()) return absl::OkStatus();
  std::vector<int64_t> associations;
  std::vector<int64_t> qos;
  for (const UsageRecord* record : accepted) {
    associations.push_back(record->association_id);
    if (record->qos_id.has_value()) qos.push_back(*record->qos_id);
  }
  UsageStore store(transaction_);
  auto association_rows =
      store.Lock(UsageOf::kAssociation, cluster_id, SortedUnique(std::move(associations)));
  if (!association_rows.ok()) return association_rows.status();
  auto qos_rows = store.Lock(UsageOf::kQos, cluster_id, SortedUnique(std::move(qos)));
  if (!qos_rows.ok()) return qos_rows.status();

  Settlement settlement{std::move(accepted), *std::move(association_rows), *std::move(qos_rows)};
  absl::Status status = settle(settlement);
  if (status.ok()) status = store.Write(UsageOf::kAssociation, settlement.associations);
  if (status.ok()) status = store.Write(UsageOf::kQos, settlement.qos);
  return status;
}

absl::StatusOr<std::vector<UsageRecord>> LedgerStore::ListEndingAfter(
    absl::Time time, const std::vector<int64_t>& association_ids) {
  auto entries = transaction_.Query(DecodeEntry, kListEndingAfter, {association_ids, time});
  if (!entries.ok()) return entries.status();
  std::vector<UsageRecord> records;
  records.reserve(entries->size());
  for (LedgerEntry& entry : *entries) records.push_back(std::move(entry.record));
  return records;
}

absl::StatusOr<std::vector<LedgerEntry>> LedgerStore::List(int32_t cluster_id, int64_t after,
                                                           int64_t limit) {
  return transaction_.Query(DecodeEntry, kList, {cluster_id, after, limit});
}

}  // namespace priorityd::storage
