#include "server/ingest/usage_recorder.h"

#include <cmath>
#include <map>
#include <optional>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/ingest/settlement.h"
#include "server/ingest/validation.h"
#include "storage/audit_store.h"
#include "storage/cluster_state.h"
#include "storage/cluster_store.h"
#include "storage/policy_store.h"
#include "storage/snapshot_store.h"
#include "storage/tres_store.h"

namespace priorityd::ingest {
namespace {

constexpr absl::Duration kMaxAhead = absl::Minutes(1);

std::string Text(absl::string_view text) { return std::string(text); }

// PostgreSQL keeps microseconds.
absl::Time Cut(absl::Time time) { return absl::FromUnixMicros(absl::ToUnixMicros(time)); }

// The records of a batch that may go to the ledger, with their places in it.
struct Batch {
  std::vector<storage::UsageRecord> records;
  std::vector<size_t> places;
};

void Reject(Rejection rejection, RecordResult* result) {
  *result = {RecordStatus::kRejected, std::move(rejection)};
}

storage::UsageRecord ToStorage(const UsageSubmission& record, const Price& price,
                               const std::map<std::string, int32_t>& tres_numbers) {
  storage::UsageRecord row;
  storage::SubmittedUsage& usage = row.submitted;
  usage.source = Text(record.source);
  usage.record_id = Text(record.record_id);
  usage.job_id = Text(record.job_id);
  usage.user_name = Text(record.user);
  usage.account = Text(record.account);
  usage.partition = Text(record.partition);
  usage.qos = Text(record.qos);
  usage.start_time = Cut(*record.start_time);
  usage.end_time = Cut(*record.end_time);
  std::map<int32_t, double> ascending;
  for (const auto& [name, count] : price.tres) ascending[tres_numbers.at(name)] = count;
  for (const auto& [number, count] : ascending) usage.tres.push_back({number, count});
  usage.billing = record.billing;
  row.association_id = price.association_id;
  row.qos_id = price.qos_id;
  row.billing_rate = price.billing_rate;
  row.usage_factor = price.usage_factor;
  return row;
}

// The numbers of all TRES that `prices` name, registered where new.
absl::StatusOr<std::map<std::string, int32_t>> NumberTres(storage::Transaction& transaction,
                                                          const PriceBook& book,
                                                          absl::Span<const Price> prices) {
  std::map<std::string, int32_t> numbers;
  std::vector<std::string> unknown;
  for (const Price& price : prices) {
    for (const auto& [name, count] : price.tres) {
      const auto [entry, is_new] = numbers.try_emplace(name, 0);
      if (!is_new) continue;
      entry->second = book.TresNumber(name);
      if (entry->second == 0) unknown.push_back(name);
    }
  }
  if (unknown.empty()) return numbers;
  return storage::TresStore(transaction).Register(unknown);
}

// Validates and prices; what is rejected is so in `results`.
absl::StatusOr<Batch> PriceAll(storage::Transaction& transaction, const PriceBook& book,
                               absl::Span<const UsageSubmission> records, absl::Time latest_end,
                               std::vector<RecordResult>* results) {
  Batch batch;
  std::vector<Price> prices;
  for (size_t i = 0; i < records.size(); ++i) {
    if (std::optional<Rejection> fault = FindFault(records[i], latest_end)) {
      Reject(*std::move(fault), &(*results)[i]);
      continue;
    }
    std::variant<Price, Rejection> price = book.PriceOf(records[i]);
    if (Rejection* rejection = std::get_if<Rejection>(&price)) {
      Reject(std::move(*rejection), &(*results)[i]);
      continue;
    }
    prices.push_back(std::get<Price>(std::move(price)));
    batch.places.push_back(i);
  }
  absl::StatusOr<std::map<std::string, int32_t>> numbers = NumberTres(transaction, book, prices);
  if (!numbers.ok()) return numbers.status();
  for (size_t i = 0; i < prices.size(); ++i) {
    batch.records.push_back(ToStorage(records[batch.places[i]], prices[i], *numbers));
  }
  return batch;
}

RecordResult ResultOf(storage::AppendOutcome outcome) {
  switch (outcome) {
    case storage::AppendOutcome::kAccepted:
      return {RecordStatus::kAccepted, std::nullopt};
    case storage::AppendOutcome::kDuplicate:
      return {RecordStatus::kDuplicate, std::nullopt};
    case storage::AppendOutcome::kConflict:
      break;
  }
  return {RecordStatus::kRejected,
          Rejection{RejectionReason::kConflict, "record_id",
                    "got one that is in the ledger with other content, want a new one"}};
}

}  // namespace

absl::StatusOr<std::vector<RecordResult>> UsageRecorder::Record(
    const std::string& cluster, absl::Span<const UsageSubmission> records) {
  std::vector<RecordResult> results;
  absl::Status status = database_->Write([&](storage::Transaction& transaction) -> absl::Status {
    results.assign(records.size(), RecordResult());
    storage::ClusterStore clusters(transaction);
    auto found = clusters.Find(cluster);
    if (!found.ok()) return found.status();
    if (!found->has_value()) return absl::NotFoundError("cluster: got one that is gone");
    const int32_t id = (*found)->id;
    if (absl::Status s = clusters.LockShared(id); !s.ok()) return s;
    absl::StatusOr<std::shared_ptr<const PriceBook>> book = BookOf(transaction, id, cluster);
    if (!book.ok()) return book.status();
    const bool real = (*book)->policy().clock == ClockMode::kReal;
    const absl::Time latest_end = real ? clock_() + kMaxAhead : absl::InfiniteFuture();
    absl::StatusOr<Batch> batch = PriceAll(transaction, **book, records, latest_end, &results);
    if (!batch.ok()) return batch.status();
    auto outcomes = storage::LedgerStore(transaction)
                        .Append(id, batch->records, [&](storage::Settlement& settlement) {
                          Settle(**book, &settlement);
                          return absl::OkStatus();
                        });
    if (!outcomes.ok()) return outcomes.status();
    for (size_t i = 0; i < outcomes->size(); ++i) {
      results[batch->places[i]] = ResultOf((*outcomes)[i]);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return results;
}

absl::StatusOr<std::shared_ptr<const PriceBook>> UsageRecorder::BookOf(
    storage::Transaction& transaction, int32_t cluster_id, const std::string& cluster) {
  auto events = storage::AuditStore(transaction).List(cluster_id, 0, 1);
  if (!events.ok()) return events.status();
  auto snapshot = storage::SnapshotStore(transaction).Newest(cluster_id);
  if (!snapshot.ok()) return snapshot.status();
  Revision revision;
  if (!events->empty()) revision.audit_event = events->front().id;
  if (snapshot->has_value()) revision.policy_version = (*snapshot)->policy_version;
  {
    absl::MutexLock lock(&mutex_);
    const CachedBook& cached = books_[cluster_id];
    if (cached.book != nullptr && cached.revision == revision) return cached.book;
  }
  auto state = storage::ReadClusterConfiguration(transaction, cluster);
  if (!state.ok()) return state.status();
  std::optional<storage::PolicyVersion> in_force = state->policy;
  if (snapshot->has_value()) {
    auto policy = storage::PolicyStore(transaction).Find(cluster_id, revision.policy_version);
    if (!policy.ok()) return policy.status();
    in_force = *std::move(policy);
  }
  auto book = PriceBook::Make(*state, in_force);
  if (!book.ok()) return book.status();
  absl::MutexLock lock(&mutex_);
  books_[cluster_id] = {revision, *book};
  return *book;
}

}  // namespace priorityd::ingest
