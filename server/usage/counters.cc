#include "server/usage/counters.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "server/usage/running_jobs.h"

namespace priorityd::usage {
namespace {

RunningJobs::key_type KeyOf(const UsageSubmission& counters) {
  return {std::string(counters.source), std::string(counters.job_id)};
}

// Two readings of counters within this time may cover a different time than the one between them:
// counters are rounded to seconds and read a moment after their update.
constexpr absl::Duration kCountersLeast = absl::Minutes(1);

// The field of the counters behind a field of their interval.
std::string InSeconds(absl::string_view field) {
  if (field == "billing") return "billing_seconds";
  return absl::StrCat("tres_seconds", field.substr(absl::string_view("tres").size()));
}

// The record of these counters and the job's new state; otherwise their result.
std::variant<storage::UsageRecord, RecordResult> Take(const UsageSubmission& counters,
                                                      const PriceBook& book,
                                                      const TresNumbers& tres_numbers,
                                                      storage::RunningJob* job) {
  auto interval = IntervalOf(counters, *job);
  if (RecordResult* result = std::get_if<RecordResult>(&interval)) return std::move(*result);
  UsageSubmission& submission = std::get<UsageSubmission>(interval);
  auto price = book.PriceOf(submission);
  if (Rejection* rejection = std::get_if<Rejection>(&price)) {
    return RecordResult{RecordStatus::kRejected, std::move(*rejection)};
  }
  if (auto excess = book.bound().FindExcess(submission, kCountersLeast)) {
    excess->field = absl::StrCat("counters.", InSeconds(excess->field));
    return RecordResult{RecordStatus::kRejected, *std::move(excess)};
  }
  const std::string record_id = IntervalId(counters);
  submission.record_id = record_id;
  Advance(counters, job);
  return ToRecord(submission, std::get<Price>(price), tres_numbers);
}

}  // namespace

RunningJobs NewJobsOf(absl::Span<BatchResults* const> batches) {
  RunningJobs jobs;
  for (const BatchResults* of : batches) {
    for (const size_t place : of->batch->priced.counters) {
      const UsageSubmission& counters = of->batch->submitted.submissions[place];
      jobs.try_emplace(KeyOf(counters), NewJob(counters));
    }
  }
  return jobs;
}

std::vector<Interval> TakeCounters(absl::Span<BatchResults* const> batches, const PriceBook& book,
                                   RunningJobs* jobs) {
  std::vector<Interval> intervals;
  for (BatchResults* of : batches) {
    const PricedBatch& priced = of->batch->priced;
    for (const size_t place : priced.counters) {
      const UsageSubmission& counters = of->batch->submitted.submissions[place];
      auto taken = Take(counters, book, priced.tres_numbers, &jobs->at(KeyOf(counters)));
      if (RecordResult* result = std::get_if<RecordResult>(&taken)) {
        of->results[place] = std::move(*result);
      } else {
        intervals.push_back({of, place, std::get<storage::UsageRecord>(std::move(taken))});
      }
    }
  }
  return intervals;
}

}  // namespace priorityd::usage
