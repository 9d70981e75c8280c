#include "server/ingest/validation.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::ingest {
namespace {

std::string Format(absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); }

std::optional<Rejection> TextFault(const UsageSubmission& record) {
  const std::pair<const char*, absl::string_view> texts[] = {
      {"source", record.source}, {"record_id", record.record_id}, {"job_id", record.job_id},
      {"user", record.user},     {"account", record.account},     {"partition", record.partition},
      {"qos", record.qos}};
  for (const auto& [field, text] : texts) {
    if (text.find('\0') == absl::string_view::npos) continue;
    return Rejection{RejectionReason::kInvalidText, field,
                     "got a NUL character, want text without"};
  }
  return std::nullopt;
}

std::optional<Rejection> MissingField(const UsageSubmission& record) {
  const auto missing = [](const char* field, const char* want) {
    return Rejection{RejectionReason::kMissingField, field, absl::StrCat("got none, want ", want)};
  };
  if (record.source.empty()) return missing("source", "who reports it");
  if (record.record_id.empty()) return missing("record_id", "one unique within the source");
  if (record.user.empty() && record.account.empty()) return missing("user", "a user or an account");
  if (!record.start_time.has_value()) return missing("start_time", "a time");
  if (!record.end_time.has_value()) return missing("end_time", "a time");
  return std::nullopt;
}

std::optional<Rejection> TimeFault(const UsageSubmission& record, absl::Time latest_end) {
  constexpr char kWantTime[] = "got a time out of range, want the years 1 to 9999";
  const absl::Time start = *record.start_time;
  const absl::Time end = *record.end_time;
  const auto finite = [](absl::Time time) {
    return time != absl::InfinitePast() && time != absl::InfiniteFuture();
  };
  if (!finite(start)) return Rejection{RejectionReason::kOutOfRange, "start_time", kWantTime};
  if (!finite(end)) return Rejection{RejectionReason::kOutOfRange, "end_time", kWantTime};
  if (end < start) {
    return Rejection{
        RejectionReason::kEndBeforeStart, "end_time",
        absl::StrCat("got ", Format(end), ", want start_time (", Format(start), ") or later")};
  }
  if (end > latest_end) {
    return Rejection{RejectionReason::kEndInFuture, "end_time",
                     absl::StrCat("got ", Format(end), ", want ", Format(latest_end),
                                  " at the latest, a minute ahead of the service's clock")};
  }
  return std::nullopt;
}

std::optional<Rejection> AmountFault(const UsageSubmission& record) {
  const auto in_range = [](double amount) { return amount >= 0 && amount <= kMaxAmount; };
  for (const auto& [name, count] : record.tres) {
    if (in_range(count)) continue;
    return Rejection{RejectionReason::kOutOfRange, absl::StrCat("tres[\"", name, "\"]"),
                     absl::StrCat("got ", count, ", want 0 to 1e18")};
  }
  if (record.billing.has_value() && !in_range(*record.billing)) {
    return Rejection{RejectionReason::kOutOfRange, "billing",
                     absl::StrCat("got ", *record.billing, ", want 0 to 1e18")};
  }
  if (record.tres.empty() && !record.billing.has_value()) {
    return Rejection{RejectionReason::kNoAmount, "tres", "got neither tres nor billing, want one"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> FindFault(const UsageSubmission& record, absl::Time latest_end) {
  if (auto fault = TextFault(record)) return fault;
  if (auto fault = MissingField(record)) return fault;
  if (auto fault = TimeFault(record, latest_end)) return fault;
  return AmountFault(record);
}

}  // namespace priorityd::ingest
