#include "client/swf/swf.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::swf {
namespace {

constexpr size_t kFields = 18;
constexpr int64_t kDefaultStart = 946684800;  // 2000-01-01T00:00:00Z
// More than in any trace; keeps sums of two within range.
constexpr double kMaxValue = 1e15;
constexpr int64_t kMaxProcessors = 100'000'000;

// Indices of the fields, from 0.
enum Field {
  kNumber = 0,
  kSubmit = 1,
  kWait = 2,
  kRunTime = 3,
  kAllocatedProcessors = 4,
  kRequestedProcessors = 7,
  kRequestedTime = 8,
  kStatus = 10,
  kUser = 11,
  kGroup = 12,
  kQueue = 14,
  kPartition = 15,
};

constexpr int64_t kCancelled = 5;  // Of kStatus.

// A number of the format, without its fraction.
absl::StatusOr<int64_t> ReadNumber(absl::string_view text) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !(std::abs(value) <= kMaxValue)) {
    return absl::InvalidArgumentError(
        absl::StrCat("got \"", text, "\", want a number from -1e15 to 1e15"));
  }
  return numbers::WholePart(value);
}

std::optional<absl::Duration> SecondsOrNone(int64_t seconds) {
  if (seconds < 0) return std::nullopt;
  return absl::Seconds(seconds);
}

absl::StatusOr<SwfJob> ReadJob(absl::string_view line, absl::Time start) {
  const std::vector<absl::string_view> cells =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (cells.size() != kFields) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", cells.size(), " fields, want ", kFields));
  }
  int64_t values[kFields];
  for (size_t i = 0; i < kFields; ++i) {
    auto value = ReadNumber(cells[i]);
    if (!value.ok()) return value.status();
    values[i] = *value;
  }
  SwfJob job;
  job.number = values[kNumber];
  job.submit_time = start + absl::Seconds(values[kSubmit]);
  job.wait_time = SecondsOrNone(values[kWait]);
  job.run_time = SecondsOrNone(values[kRunTime]);
  job.processors = std::max<int64_t>(values[kAllocatedProcessors], 0);
  if (job.processors == 0) job.processors = std::max<int64_t>(values[kRequestedProcessors], 0);
  if (job.processors > kMaxProcessors) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", job.processors, " processors, want at most ", kMaxProcessors));
  }
  job.requested_time = SecondsOrNone(values[kRequestedTime]);
  job.user = values[kUser];
  job.group = values[kGroup];
  job.queue = values[kQueue];
  job.partition = values[kPartition];
  job.never_ran =
      values[kStatus] == kCancelled && values[kAllocatedProcessors] <= 0 && values[kRunTime] <= 0;
  return job;
}

// The value of a header's comment: `; MaxProcs: 128`.
absl::Status ReadHeader(absl::string_view comment, absl::Time* start, SwfTrace* trace) {
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(absl::StripAsciiWhitespace(comment), absl::MaxSplits(':', 1));
  const bool is_start = sides.first == "UnixStartTime";
  if (!is_start && sides.first != "MaxNodes" && sides.first != "MaxProcs") return absl::OkStatus();
  const auto value = ReadNumber(absl::StripAsciiWhitespace(sides.second));
  if (!value.ok()) return value.status();
  if (is_start) {
    *start = absl::FromUnixSeconds(*value);
  } else {
    (sides.first == "MaxNodes" ? trace->max_nodes : trace->max_processors) =
        std::clamp<int64_t>(*value, 0, kMaxProcessors);
  }
  return absl::OkStatus();
}

absl::Status AtLine(int number, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
}

}  // namespace

absl::StatusOr<SwfTrace> ParseSwf(absl::string_view text) {
  SwfTrace trace;
  absl::Time start = absl::FromUnixSeconds(kDefaultStart);
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    if (absl::ConsumePrefix(&line, ";")) {
      const absl::Status header = ReadHeader(line, &start, &trace);
      if (!header.ok()) return AtLine(number, header);
      continue;
    }
    auto job = ReadJob(line, start);
    if (!job.ok()) return AtLine(number, job.status());
    trace.jobs.push_back(*std::move(job));
  }
  return trace;
}

}  // namespace priorityd::swf
