#include "server/usage/priced_batch.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/microseconds.h"
#include "engine/priority/site/tres.h"
#include "server/usage/job_accounting.h"
#include "server/usage/validation.h"

namespace priorityd::usage {
namespace {

std::string Text(absl::string_view text) { return std::string(text); }

// The record's price, or its fault. For counters, only the names in the price are used: the cost
// depends on earlier counters.
std::variant<Price, Rejection> PriceOf(const UsageSubmission& record, const PriceBook& book) {
  if (!record.counters.has_value()) {
    auto price = book.PriceOf(record);
    if (!std::holds_alternative<Price>(price)) return price;
    if (auto excess = book.bound().FindExcess(record)) return *std::move(excess);
    return price;
  }
  UsageSubmission whole = record;
  whole.tres = record.counters->tres_seconds;
  whole.billing = 0;
  return book.PriceOf(whole);
}

// The price of a record that can no longer be charged, for comparison with the ledger. nullopt if
// it never had one.
std::optional<Price> NoPrice(const UsageSubmission& record) {
  Price price;
  for (const auto& [name, count] : record.tres) {
    absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) return std::nullopt;
    if (count != 0) price.tres.try_emplace(*std::move(canonical), count);
  }
  return price;
}

// Whether the ledger may have a rejected record: its names may have existed before, or the cluster
// may have been larger.
bool MayBeHeld(const Rejection& rejection) {
  return rejection.reason == RejectionReason::kUnknownAccount ||
         rejection.reason == RejectionReason::kUnknownUser ||
         rejection.reason == RejectionReason::kUnknownQos ||
         rejection.reason == RejectionReason::kUnknownPartition ||
         rejection.reason == RejectionReason::kBeyondCapacity;
}

// One record of a batch after pricing.
struct PricedRecord {
  std::optional<Price> price;  // nullopt = rejected regardless of the ledger.
  RecordResult result;         // Rejected if it has no price, or no longer one.
};

PricedRecord PriceRecord(const UsageSubmission& record, const PriceBook& book,
                         const EndTimes& end_times) {
  if (std::optional<Rejection> fault = FindFault(record, end_times)) {
    return {std::nullopt, {RecordStatus::kRejected, *std::move(fault)}};
  }
  auto price = PriceOf(record, book);
  if (Price* found = std::get_if<Price>(&price)) return {std::move(*found), {}};
  Rejection& rejection = std::get<Rejection>(price);
  std::optional<Price> none = MayBeHeld(rejection) ? NoPrice(record) : std::nullopt;
  return {std::move(none), {RecordStatus::kRejected, std::move(rejection)}};
}

EndTimes EndTimesOf(const PriceBook& book, absl::Time now) {
  EndTimes end_times{.earliest = book.ledger_horizon()};
  if (book.policy().clock == priority::ClockMode::kReal) end_times.latest = now + kMaxAhead;
  return end_times;
}

// The numbers of the TRES in the prices; refused ones are missing. TRES of records that cannot be
// charged are not registered: the ledger does not have them.
absl::StatusOr<PriceBooks::NumberedTres> NumberTres(const std::vector<PricedRecord>& records,
                                                    absl::Span<const UsageSubmission> submissions,
                                                    const PriceBook& book, PriceBooks* books) {
  TresNumbers numbers;
  std::vector<PriceBooks::NamedTres> unknown;
  absl::flat_hash_set<std::string> seen;
  for (size_t i = 0; i < records.size(); ++i) {
    if (!records[i].price.has_value()) continue;
    for (const auto& [name, count] : records[i].price->tres) {
      if (numbers.contains(name) || seen.contains(name)) continue;
      if (const int32_t number = book.TresNumber(name); number != 0) {
        numbers[name] = number;
      } else if (!records[i].result.rejection.has_value()) {
        seen.insert(name);
        unknown.push_back({name, std::string(submissions[i].source)});
      }
    }
  }
  if (unknown.empty()) return PriceBooks::NumberedTres{std::move(numbers), {}};
  auto registered = books->NumberTres(book.cluster_id(), unknown);
  if (!registered.ok()) return registered.status();
  registered->numbers.merge(numbers);
  return registered;
}

// Removes the price of a record that names a TRES without a number.
void RejectUnnumbered(const PriceBooks::NumberedTres& tres, bool counters, PricedRecord* record) {
  if (!record->price.has_value()) return;
  for (const auto& [name, count] : record->price->tres) {
    if (tres.numbers.contains(name)) continue;
    if (!record->result.rejection.has_value()) {
      const auto refused = tres.refused.find(name);
      record->result = {
          RecordStatus::kRejected,
          Rejection{
              RejectionReason::kTooManyTres,
              TresField(name, counters ? "counters.tres_seconds" : "tres"),
              refused != tres.refused.end()
                  ? refused->second
                  : absl::StrCat("got a name that would be number ", errors::kMaxTresOfCluster + 1,
                                 " of the cluster, want at most ", errors::kMaxTresOfCluster)}};
    }
    record->price.reset();
    return;
  }
}

}  // namespace

absl::StatusOr<PricedBatch> PriceBatch(std::shared_ptr<const PriceBook> book,
                                       absl::Span<const UsageSubmission> submissions,
                                       absl::Time now, PriceBooks* books) {
  const EndTimes end_times = EndTimesOf(*book, now);
  std::vector<PricedRecord> priced;
  priced.reserve(submissions.size());
  for (const UsageSubmission& record : submissions) {
    priced.push_back(PriceRecord(record, *book, end_times));
  }
  const absl::StatusOr<PriceBooks::NumberedTres> tres =
      NumberTres(priced, submissions, *book, books);
  if (!tres.ok()) return tres.status();
  PricedBatch batch{.book = std::move(book), .tres_numbers = tres->numbers};
  batch.results.reserve(priced.size());
  for (size_t i = 0; i < priced.size(); ++i) {
    RejectUnnumbered(*tres, submissions[i].counters.has_value(), &priced[i]);
    batch.results.push_back(std::move(priced[i].result));
    if (!priced[i].price.has_value()) continue;
    if (submissions[i].counters.has_value()) {
      batch.counters.push_back(i);
    } else {
      batch.places.push_back(i);
      batch.records.push_back(ToRecord(submissions[i], *priced[i].price, batch.tres_numbers));
    }
  }
  return batch;
}

storage::UsageRecord ToRecord(const UsageSubmission& submission, const Price& price,
                              const TresNumbers& tres_numbers) {
  storage::UsageRecord record;
  storage::SubmittedUsage& usage = record.submitted;
  usage.source = Text(submission.source);
  usage.record_id = Text(submission.record_id);
  usage.job_id = Text(submission.job_id);
  usage.user_name = Text(submission.user);
  usage.account = Text(submission.account);
  usage.partition = Text(submission.partition);
  usage.qos = Text(submission.qos);
  usage.start_time = priority::CutToMicroseconds(*submission.start_time);
  usage.end_time = priority::CutToMicroseconds(*submission.end_time);
  std::map<int32_t, double> ascending;
  for (const auto& [name, count] : price.tres) ascending[tres_numbers.at(name)] = count;
  for (const auto& [number, count] : ascending) usage.tres.push_back({number, count});
  usage.billing = submission.billing;
  usage.replaces_record_id = Text(submission.replaces_record_id);
  record.association_id = price.association_id;
  record.qos_id = price.qos_id;
  record.billing_rate = price.billing_rate;
  record.usage_factor = price.usage_factor;
  record.job = WholeAccounting(submission);
  return record;
}

}  // namespace priorityd::usage
