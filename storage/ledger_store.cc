#include "storage/ledger_store.h"

#include <algorithm>
#include <utility>

#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

// Sorted, so that two transactions that insert the same keys wait for each
// other in one direction only.
constexpr char kInsert[] =
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, partition, qos, start_time, end_time, tres_ids, tres_counts, billing, "
    "replaces_record_id, association_id, qos_id, billing_rate, usage_factor) "
    "SELECT $1::integer, source, record_id, job_id, user_name, account, partition, qos, "
    "start_time, end_time, tres_ids::integer[], tres_counts::double precision[], billing, "
    "replaces_record_id, association_id, qos_id, billing_rate, usage_factor "
    "FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
    "$8::text[], $9::timestamptz[], $10::timestamptz[], $11::text[], $12::text[], "
    "$13::double precision[], $14::text[], $15::bigint[], $16::bigint[], "
    "$17::double precision[], $18::double precision[]) "
    "AS given (source, record_id, job_id, user_name, account, partition, qos, start_time, "
    "end_time, tres_ids, tres_counts, billing, replaces_record_id, association_id, qos_id, "
    "billing_rate, usage_factor) "
    "ORDER BY source COLLATE \"C\", record_id COLLATE \"C\" "
    "ON CONFLICT (cluster_id, source, record_id) DO NOTHING RETURNING source, record_id";
constexpr char kFind[] =
    "SELECT source, record_id, job_id, user_name, account, partition, qos, start_time, end_time, "
    "tres_ids, tres_counts, billing, replaces_record_id "
    "FROM priorityd.usage_record JOIN unnest($2::text[], $3::text[]) AS wanted "
    "(source, record_id) USING (source, record_id) WHERE cluster_id = $1";
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

std::pair<std::string, std::string> DecodeKey(RowReader& row) {
  std::pair<std::string, std::string> key;
  row.Read(&key.first, &key.second);
  return key;
}

// The parameters of kInsert.
std::vector<Parameter> InsertParameters(int32_t cluster_id, absl::Span<const UsageRecord> batch,
                                        absl::Span<const size_t> rows) {
  auto submitted = [&](auto field) {
    return Column(rows, [&batch, field](size_t i) { return batch[i].submitted.*field; });
  };
  auto price = [&](auto field) {
    return Column(rows, [&batch, field](size_t i) { return batch[i].*field; });
  };
  return {cluster_id,
          submitted(&SubmittedUsage::source),
          submitted(&SubmittedUsage::record_id),
          submitted(&SubmittedUsage::job_id),
          submitted(&SubmittedUsage::user_name),
          submitted(&SubmittedUsage::account),
          submitted(&SubmittedUsage::partition),
          submitted(&SubmittedUsage::qos),
          submitted(&SubmittedUsage::start_time),
          submitted(&SubmittedUsage::end_time),
          Column(rows, [&](size_t i) { return TresIds(batch[i].submitted.tres); }),
          Column(rows, [&](size_t i) { return Amounts(batch[i].submitted.tres); }),
          submitted(&SubmittedUsage::billing),
          submitted(&SubmittedUsage::replaces_record_id),
          price(&UsageRecord::association_id),
          price(&UsageRecord::qos_id),
          price(&UsageRecord::billing_rate),
          price(&UsageRecord::usage_factor)};
}

std::vector<int64_t> SortedUnique(std::vector<int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

absl::StatusOr<std::vector<AppendOutcome>> LedgerStore::Append(
    int32_t cluster_id, absl::Span<const UsageRecord> batch,
    absl::FunctionRef<absl::Status(Settlement&)> settle) {
  absl::flat_hash_map<Key, size_t> first_of;
  std::vector<size_t> firsts;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (first_of.try_emplace(KeyOf(batch[i].submitted), i).second) firsts.push_back(i);
  }
  absl::StatusOr<std::vector<bool>> inserted = Insert(cluster_id, batch, first_of, firsts);
  if (!inserted.ok()) return inserted.status();
  absl::StatusOr<std::vector<SubmittedUsage>> held = FindHeld(cluster_id, batch, firsts, *inserted);
  if (!held.ok()) return held.status();

  // What the ledger now holds under the key of each first record.
  std::vector<const SubmittedUsage*> truth(batch.size());
  for (size_t i : firsts) truth[i] = &batch[i].submitted;
  for (const SubmittedUsage& usage : *held) truth[first_of.at(KeyOf(usage))] = &usage;

  std::vector<AppendOutcome> outcomes(batch.size());
  std::vector<const UsageRecord*> accepted;
  for (size_t i = 0; i < batch.size(); ++i) {
    const SubmittedUsage& usage = batch[i].submitted;
    bool same = usage == *truth[first_of.at(KeyOf(usage))];
    outcomes[i] = (*inserted)[i] ? AppendOutcome::kAccepted
                  : same         ? AppendOutcome::kDuplicate
                                 : AppendOutcome::kConflict;
    if ((*inserted)[i]) accepted.push_back(&batch[i]);
  }
  absl::Status settled = Settle(cluster_id, std::move(accepted), settle);
  if (!settled.ok()) return settled;
  return outcomes;
}

absl::StatusOr<std::vector<bool>> LedgerStore::Insert(
    int32_t cluster_id, absl::Span<const UsageRecord> batch,
    const absl::flat_hash_map<Key, size_t>& first_of, absl::Span<const size_t> firsts) {
  std::vector<bool> inserted(batch.size());
  if (firsts.empty()) return inserted;
  auto keys = transaction_.Query(DecodeKey, kInsert, InsertParameters(cluster_id, batch, firsts));
  if (!keys.ok()) return keys.status();
  for (const auto& [source, record_id] : *keys) inserted[first_of.at({source, record_id})] = true;
  return inserted;
}

absl::StatusOr<std::vector<SubmittedUsage>> LedgerStore::FindHeld(
    int32_t cluster_id, absl::Span<const UsageRecord> batch, absl::Span<const size_t> firsts,
    const std::vector<bool>& inserted) {
  std::vector<std::string> sources;
  std::vector<std::string> record_ids;
  for (size_t i : firsts) {
    if (inserted[i]) continue;
    sources.push_back(batch[i].submitted.source);
    record_ids.push_back(batch[i].submitted.record_id);
  }
  if (sources.empty()) return std::vector<SubmittedUsage>();
  auto held = transaction_.Query(DecodeSubmitted, kFind, {cluster_id, sources, record_ids});
  if (held.ok() && held->size() != sources.size()) {
    return absl::AbortedError("usage records: some vanished meanwhile; try again");
  }
  return held;
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
