#include "server/usage/job_accounting.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/microseconds.h"
#include "server/usage/validation.h"

namespace priorityd::usage {
namespace {

using storage::JobAccounting;
using OptionalTime = std::optional<absl::Time>;

constexpr absl::string_view kStates[] = {
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED",  "NODE_FAIL", "OUT_OF_MEMORY",
    "PREEMPTED", "REQUEUED",  "RESIZING",  "REVOKED",  "RUNNING", "SUSPENDED", "TIMEOUT"};

std::string TimeText(absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); }

Rejection OutOfRange(absl::string_view field, absl::string_view message) {
  return {RejectionReason::kOutOfRange, std::string(field), std::string(message)};
}

std::optional<Rejection> TextFault(const JobAccounting& job) {
  if (job.state.has_value() &&
      std::find(std::begin(kStates), std::end(kStates), *job.state) == std::end(kStates)) {
    return OutOfRange(
        "job.state",
        absl::StrCat("got \"", absl::CHexEscape(job.state->substr(0, errors::kShownBytes)),
                     "\", want one of ", absl::StrJoin(kStates, ", ")));
  }
  if (!job.node_list.has_value()) return std::nullopt;
  if (job.node_list->size() > errors::kMaxNodeListBytes) {
    return Rejection{RejectionReason::kInvalidText, "job.node_list",
                     absl::StrCat("got ", job.node_list->size(), " bytes, want at most ",
                                  errors::kMaxNodeListBytes)};
  }
  if (job.node_list->find('\0') == std::string::npos) return std::nullopt;
  return Rejection{RejectionReason::kInvalidText, "job.node_list",
                   "got a NUL character, want text without"};
}

std::optional<Rejection> NumberFault(const JobAccounting& job) {
  const std::pair<const char*, std::optional<int32_t>> codes[] = {
      {"job.exit_code", job.exit_code}, {"job.exit_signal", job.exit_signal}};
  for (const auto& [field, code] : codes) {
    if (!code.has_value() || (*code >= 0 && *code <= kMaxExitCode)) continue;
    return OutOfRange(field, absl::StrCat("got ", *code, ", want 0 to ", kMaxExitCode));
  }
  const std::pair<const char*, std::optional<double>> amounts[] = {{"job.total_cpu", job.total_cpu},
                                                                   {"job.max_rss", job.max_rss},
                                                                   {"job.req_cpus", job.req_cpus},
                                                                   {"job.req_mem", job.req_mem}};
  for (const auto& [field, amount] : amounts) {
    if (!amount.has_value() || (*amount >= 0 && *amount <= kMaxAmount)) continue;
    return OutOfRange(field, absl::StrCat("got ", *amount, ", want 0 to 1e18"));
  }
  if (!job.time_limit.has_value() ||
      (*job.time_limit >= absl::ZeroDuration() && *job.time_limit != absl::InfiniteDuration())) {
    return std::nullopt;
  }
  return OutOfRange("job.time_limit", "got a time out of range, want 0 s to 315,576,000,000 s");
}

// A time of the job, and the time that it must not exceed.
struct Order {
  const char* field;
  OptionalTime time;
  const char* later_field;
  absl::Time later;
};

std::optional<Rejection> OrderFault(const Order& order) {
  if (!order.time.has_value()) return std::nullopt;
  if (*order.time == absl::InfiniteFuture() || *order.time == absl::InfinitePast()) {
    return OutOfRange(order.field, "got a time out of range, want the years 1 to 9999");
  }
  if (*order.time <= order.later) return std::nullopt;
  return OutOfRange(order.field,
                    absl::StrCat("got ", TimeText(*order.time), ", want ", order.later_field, " (",
                                 TimeText(order.later), ") or earlier"));
}

Rejection TooFar(absl::string_view field, absl::Duration span, absl::string_view from_the_start) {
  return OutOfRange(field,
                    absl::StrCat("got ", absl::ToInt64Hours(span) / 24, " days ", from_the_start,
                                 " the start, want at most ", absl::ToInt64Hours(kMaxSpan) / 24));
}

std::optional<Rejection> TimeFault(const UsageSubmission& record, absl::Time latest) {
  const JobAccounting& job = *record.job;
  const absl::Time start = job.start_time.value_or(*record.start_time);
  const absl::Time end = job.end_time.value_or(*record.end_time);
  const Order orders[] = {
      {"job.start_time", job.start_time, "the record's start_time", *record.start_time},
      {"job.eligible_time", job.eligible_time, "the start", start},
      {"job.submit_time", job.submit_time, "the start", start},
      {"job.submit_time", job.submit_time, "eligible_time", job.eligible_time.value_or(start)},
      {"job.end_time", job.end_time, "a minute ahead of the service's clock", latest}};
  for (const Order& order : orders) {
    if (auto fault = OrderFault(order)) return fault;
    const absl::Duration before = start - order.time.value_or(start);
    if (before > kMaxSpan) return TooFar(order.field, before, "before");
  }
  if (end < *record.end_time) {
    return OutOfRange("job.end_time",
                      absl::StrCat("got ", TimeText(end), ", want the record's end_time (",
                                   TimeText(*record.end_time), ") or later"));
  }
  if (end - start > kMaxSpan) return TooFar("job.end_time", end - start, "after");
  return std::nullopt;
}

void Cut(OptionalTime* time) {
  if (time->has_value()) *time = priority::CutToMicroseconds(**time);
}

}  // namespace

std::optional<Rejection> FindJobFault(const UsageSubmission& record, absl::Time latest) {
  if (record.job == nullptr) return std::nullopt;
  if (record.job_id.empty()) {
    return Rejection{RejectionReason::kMissingField, "job_id", "got none, want that of `job`"};
  }
  if (auto fault = TextFault(*record.job)) return fault;
  if (auto fault = NumberFault(*record.job)) return fault;
  return TimeFault(record, latest);
}

std::shared_ptr<const storage::JobAccounting> WholeAccounting(const UsageSubmission& record) {
  if (record.job == nullptr) return nullptr;
  auto job = std::make_shared<JobAccounting>(*record.job);
  if (!job->start_time.has_value()) job->start_time = record.start_time;
  if (!job->end_time.has_value()) job->end_time = record.end_time;
  for (OptionalTime* time :
       {&job->submit_time, &job->eligible_time, &job->start_time, &job->end_time}) {
    Cut(time);
  }
  if (job->time_limit.has_value())
    job->time_limit = absl::Trunc(*job->time_limit, absl::Seconds(1));
  return job;
}

}  // namespace priorityd::usage
