#include "server/usage/usage_batch.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "server/priority/microseconds.h"
#include "server/priority/tres.h"
#include "server/usage/validation.h"

namespace priorityd::usage {
namespace {

constexpr absl::Duration kMaxAhead = absl::Minutes(1);

std::string Text(absl::string_view text) { return std::string(text); }

// The numbers of all TRES that the prices name.
absl::StatusOr<std::map<std::string, int32_t>> NumberTres(
    const PriceBook& book, std::initializer_list<absl::Span<const Price>> lists,
    PriceBooks* books) {
  std::map<std::string, int32_t> numbers;
  std::vector<std::string> unknown;
  const auto look_up = [&](const Price& price) {
    for (const auto& [name, count] : price.tres) {
      const auto [entry, is_new] = numbers.try_emplace(name, 0);
      if (!is_new) continue;
      entry->second = book.TresNumber(name);
      if (entry->second == 0) unknown.push_back(name);
    }
  };
  for (absl::Span<const Price> prices : lists) std::for_each(prices.begin(), prices.end(), look_up);
  if (unknown.empty()) return numbers;
  auto registered = books->NumberTres(unknown);
  if (!registered.ok()) return registered.status();
  for (const std::string& name : unknown) numbers[name] = registered->at(name);
  return numbers;
}

// The record's price, or its fault. Of counters only what the price names is of
// use: what it costs depends on those before.
std::variant<Price, Rejection> PriceOf(const UsageSubmission& record, const PriceBook& book) {
  if (!record.counters.has_value()) return book.PriceOf(record);
  UsageSubmission whole = record;
  whole.tres = record.counters->tres_seconds;
  whole.billing = 0;
  return book.PriceOf(whole);
}

// The price of a record that nobody can be charged for any more: what tells it from
// others. nullopt if it never had one.
std::optional<Price> NoPrice(const UsageSubmission& record) {
  Price price;
  for (const auto& [name, count] : record.tres) {
    absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) return std::nullopt;
    if (count != 0) price.tres.try_emplace(*std::move(canonical), count);
  }
  return price;
}

// Whether what it names may have been there before.
bool MayBeGone(const Rejection& rejection) {
  return rejection.reason == RejectionReason::kUnknownAccount ||
         rejection.reason == RejectionReason::kUnknownUser ||
         rejection.reason == RejectionReason::kUnknownQos ||
         rejection.reason == RejectionReason::kUnknownPartition;
}

// What the records of a batch cost.
struct Prices {
  std::vector<Price> of_records;   // As UsageBatch::places.
  std::vector<Price> of_counters;  // Of those that have one.
};

Prices FindPrices(const EndTimes& end_times, UsageBatch* batch) {
  Prices prices;
  for (size_t i = 0; i < batch->submissions.size(); ++i) {
    const UsageSubmission& record = batch->submissions[i];
    if (std::optional<Rejection> fault = FindFault(record, end_times)) {
      batch->results[i] = {RecordStatus::kRejected, *std::move(fault)};
      continue;
    }
    const bool is_counters = record.counters.has_value();
    auto price = PriceOf(record, *batch->book);
    std::optional<Price> found;
    if (Rejection* rejection = std::get_if<Rejection>(&price)) {
      if (MayBeGone(*rejection)) found = NoPrice(record);
      batch->results[i] = {RecordStatus::kRejected, std::move(*rejection)};
      if (!found.has_value()) continue;
    } else {
      found = std::get<Price>(std::move(price));
    }
    (is_counters ? prices.of_counters : prices.of_records).push_back(*std::move(found));
    (is_counters ? batch->counters : batch->places).push_back(i);
  }
  return prices;
}

RecordResult Rejected(RejectionReason reason, const char* field, const char* message) {
  return {RecordStatus::kRejected, Rejection{reason, field, message}};
}

}  // namespace

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
  usage.start_time = priority::CutToMicroseconds(*record.start_time);
  usage.end_time = priority::CutToMicroseconds(*record.end_time);
  std::map<int32_t, double> ascending;
  for (const auto& [name, count] : price.tres) ascending[tres_numbers.at(name)] = count;
  for (const auto& [number, count] : ascending) usage.tres.push_back({number, count});
  usage.billing = record.billing;
  usage.replaces_record_id = Text(record.replaces_record_id);
  row.association_id = price.association_id;
  row.qos_id = price.qos_id;
  row.billing_rate = price.billing_rate;
  row.usage_factor = price.usage_factor;
  return row;
}

RecordResult ResultOf(storage::AppendOutcome outcome, const RecordResult& unpriced) {
  switch (outcome) {
    case storage::AppendOutcome::kAccepted:
      return {RecordStatus::kAccepted, std::nullopt};
    case storage::AppendOutcome::kDuplicate:
      return {RecordStatus::kDuplicate, std::nullopt};
    case storage::AppendOutcome::kUnknownTarget:
      return Rejected(RejectionReason::kUnknownRecord, "replaces_record_id",
                      "got one that is not in the ledger, want one of the same source");
    case storage::AppendOutcome::kAlreadyReplaced:
      return Rejected(RejectionReason::kAlreadyReplaced, "replaces_record_id",
                      "got one that another record replaces, want that other record");
    case storage::AppendOutcome::kTargetTooOld:
      return Rejected(RejectionReason::kTooOld, "replaces_record_id",
                      "got one that ended before the ledger's horizon, up to which records are "
                      "rolled up, or that was never in the ledger; want one that ended later");
    case storage::AppendOutcome::kUnpriced:
      return unpriced;
    case storage::AppendOutcome::kConflict:
      break;
  }
  return Rejected(RejectionReason::kConflict, "record_id",
                  "got one that is in the ledger with other content, want a new one");
}

absl::Status Prepare(std::shared_ptr<const PriceBook> book, absl::Time now, PriceBooks* books,
                     UsageBatch* batch) {
  const bool real = book->policy().clock == priority::ClockMode::kReal;
  EndTimes end_times{.earliest = book->ledger_horizon()};
  if (real) end_times.latest = now + kMaxAhead;
  batch->book = std::move(book);
  batch->records.clear();
  batch->places.clear();
  batch->results.assign(batch->submissions.size(), RecordResult());
  batch->counters.clear();
  const Prices prices = FindPrices(end_times, batch);
  auto numbers = NumberTres(*batch->book, {prices.of_records, prices.of_counters}, books);
  if (!numbers.ok()) return numbers.status();
  batch->tres_numbers = *std::move(numbers);
  batch->records.reserve(prices.of_records.size());
  for (size_t i = 0; i < prices.of_records.size(); ++i) {
    batch->records.push_back(
        ToStorage(batch->submissions[batch->places[i]], prices.of_records[i], batch->tres_numbers));
  }
  return absl::OkStatus();
}

}  // namespace priorityd::usage
