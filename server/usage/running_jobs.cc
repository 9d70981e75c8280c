#include "server/usage/running_jobs.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/priority/site/microseconds.h"
#include "server/usage/job_accounting.h"
#include "server/usage/validation.h"

namespace priorityd::usage {
namespace {

std::string Canonical(absl::string_view name) { return absl::AsciiStrToLower(name); }

RecordResult Reject(RejectionReason reason, std::string field, std::string message) {
  return {RecordStatus::kRejected, Rejection{reason, std::move(field), std::move(message)}};
}

// The previous and the new value of a counter.
struct Counter {
  std::string field;
  double before = 0;
  double now = 0;
};

std::vector<Counter> CountersOf(const UsageSubmission& counters, const storage::RunningJob& job) {
  std::map<std::string, Counter> by_name;
  for (const auto& [name, amount] : job.tres_seconds) by_name[name].before = amount;
  for (const auto& [name, amount] : counters.counters->tres_seconds) {
    by_name[Canonical(name)].now += amount;
  }
  std::vector<Counter> all;
  for (auto& [name, counter] : by_name) {
    counter.field = absl::StrCat("counters.tres_seconds[\"", name, "\"]");
    all.push_back(std::move(counter));
  }
  all.push_back({"counters.billing_seconds", job.billing_seconds,
                 counters.counters->billing_seconds.value_or(0)});
  return all;
}

// Handles counters that were read no later than the last ones.
RecordResult Older(const UsageSubmission& counters, const storage::RunningJob& job) {
  for (const Counter& counter : CountersOf(counters, job)) {
    const bool last = priority::CutToMicroseconds(*counters.end_time) == job.as_of;
    if (counter.now < counter.before && !last) continue;
    if (counter.now == counter.before) continue;
    return Reject(
        RejectionReason::kConflict, counter.field,
        absl::StrCat("got ", counter.now, ", want ", counter.before, last ? "" : " at most",
                     ", as other counters read ", last ? "then" : "later", " say"));
  }
  return {RecordStatus::kDuplicate, std::nullopt};
}

std::optional<RecordResult> Backwards(const UsageSubmission& counters,
                                      const storage::RunningJob& job) {
  for (const Counter& counter : CountersOf(counters, job)) {
    if (counter.now >= counter.before) continue;
    return Reject(
        RejectionReason::kCounterBackwards, counter.field,
        absl::StrCat("got ", counter.now, ", want ", counter.before, " or more, as it was before"));
  }
  return std::nullopt;
}

double Before(const storage::RunningJob& job, absl::string_view name) {
  for (const storage::NamedAmount& amount : job.tres_seconds) {
    if (amount.name == Canonical(name)) return amount.amount;
  }
  return 0;
}

RecordResult Overlap(absl::Time start, const storage::RunningJob& job) {
  return Reject(
      RejectionReason::kOverlap, "start_time",
      absl::StrCat("got ", absl::FormatTime(start, absl::UTCTimeZone()), ", want ",
                   absl::FormatTime(job.start_time, absl::UTCTimeZone()),
                   ", that of the job's other counters, or one from ",
                   absl::FormatTime(job.as_of, absl::UTCTimeZone()), " on, to which they reach"));
}

RecordResult Unknown(absl::Time start) {
  return Reject(RejectionReason::kTooOld, "start_time",
                absl::StrCat("got ", absl::FormatTime(start, absl::UTCTimeZone()),
                             ", want one at most ", absl::FormatDuration(kLongestUnknownRun),
                             " before end_time for a job of which no counters are known"));
}

// The average usage from `last` to these counters.
UsageSubmission Average(const UsageSubmission& counters, const storage::RunningJob& last) {
  UsageSubmission interval = counters;
  interval.counters.reset();
  interval.job = WholeAccounting(counters);
  interval.start_time = last.as_of;
  interval.end_time = priority::CutToMicroseconds(*counters.end_time);
  const double seconds = absl::ToDoubleSeconds(*interval.end_time - last.as_of);
  for (const auto& [name, amount] : counters.counters->tres_seconds) {
    interval.tres.emplace_back(name, (amount - Before(last, name)) / seconds);
  }
  if (counters.counters->billing_seconds.has_value()) {
    interval.billing = (*counters.counters->billing_seconds - last.billing_seconds) / seconds;
  }
  return interval;
}

}  // namespace

storage::RunningJob NewJob(const UsageSubmission& counters) {
  storage::RunningJob job;
  job.source = std::string(counters.source);
  job.job_id = std::string(counters.job_id);
  job.start_time = job.as_of = priority::CutToMicroseconds(*counters.start_time);
  return job;
}

std::string IntervalId(const UsageSubmission& counters) {
  return absl::StrCat(kCountersPrefix, counters.job_id, ":",
                      absl::ToUnixMicros(*counters.end_time));
}

std::variant<UsageSubmission, RecordResult> IntervalOf(const UsageSubmission& counters,
                                                       const storage::RunningJob& job) {
  const absl::Time start = priority::CutToMicroseconds(*counters.start_time);
  // After rejected counters, a job may have none.
  const bool has_counters = job.as_of > job.start_time;
  if (has_counters && start != job.start_time && start < job.as_of) return Overlap(start, job);
  const bool is_same_run = has_counters && start == job.start_time;
  const storage::RunningJob last = is_same_run ? job : NewJob(counters);
  if (!has_counters && *counters.end_time - start > kLongestUnknownRun) return Unknown(start);
  if (priority::CutToMicroseconds(*counters.end_time) <= last.as_of) return Older(counters, last);
  if (std::optional<RecordResult> fault = Backwards(counters, last)) return *std::move(fault);
  return Average(counters, last);
}

void Advance(const UsageSubmission& counters, storage::RunningJob* job) {
  job->start_time = priority::CutToMicroseconds(*counters.start_time);
  job->as_of = priority::CutToMicroseconds(*counters.end_time);
  job->tres_seconds.clear();
  for (const auto& [name, amount] : counters.counters->tres_seconds) {
    job->tres_seconds.push_back({Canonical(name), amount});
  }
  job->billing_seconds = counters.counters->billing_seconds.value_or(0);
}

}  // namespace priorityd::usage
