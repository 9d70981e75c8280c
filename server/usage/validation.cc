#include "server/usage/validation.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/tres.h"
#include "server/usage/job_accounting.h"
#include "storage/ledger/job_end_store.h"
#include "storage/ledger/usage_void_store.h"

namespace priorityd::usage {
namespace {

std::string Format(absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); }

std::optional<Rejection> TextFault(const std::string& field, absl::string_view text) {
  if (text.size() > errors::kMaxTextBytes) {
    return Rejection{
        RejectionReason::kInvalidText, field,
        absl::StrCat("got ", text.size(), " bytes, want at most ", errors::kMaxTextBytes)};
  }
  if (text.find('\0') == absl::string_view::npos) return std::nullopt;
  return Rejection{RejectionReason::kInvalidText, field, "got a NUL character, want text without"};
}

std::optional<Rejection> NameFault(const NamedAmounts& tres, absl::string_view tres_field) {
  if (tres.size() > errors::kMaxTresNames) {
    return Rejection{
        RejectionReason::kTooManyTres, std::string(tres_field),
        absl::StrCat("got ", tres.size(), " names, want at most ", errors::kMaxTresNames)};
  }
  for (const auto& [name, amount] : tres) {
    std::string field = TresField(name, tres_field);
    if (auto fault = TextFault(field, name)) return fault;
    if (priority::FitsTresList(name)) continue;
    return Rejection{RejectionReason::kInvalidText, std::move(field), priority::kUnfitTresName};
  }
  return std::nullopt;
}

std::optional<Rejection> TextFault(const UsageSubmission& record) {
  const std::pair<const char*, absl::string_view> texts[] = {
      {"source", record.source},   {"record_id", record.record_id},
      {"job_id", record.job_id},   {"user", record.user},
      {"account", record.account}, {"partition", record.partition},
      {"qos", record.qos},         {"replaces_record_id", record.replaces_record_id}};
  for (const auto& [field, text] : texts) {
    if (auto fault = TextFault(field, text)) return fault;
  }
  if (auto fault = NameFault(record.tres, "tres")) return fault;
  if (!record.counters.has_value()) return std::nullopt;
  return NameFault(record.counters->tres_seconds, "counters.tres_seconds");
}

std::optional<Rejection> MissingField(const UsageSubmission& record) {
  const auto missing = [](const char* field, const char* want) {
    return Rejection{RejectionReason::kMissingField, field, absl::StrCat("got none, want ", want)};
  };
  if (record.source.empty()) return missing("source", "who reports it");
  if (record.counters.has_value()) {
    if (record.job_id.empty()) return missing("job_id", "the job whose counters these are");
  } else if (record.record_id.empty()) {
    return missing("record_id", "one unique within the source");
  }
  if (record.user.empty() && record.account.empty()) return missing("user", "a user or an account");
  if (!record.start_time.has_value()) return missing("start_time", "a time");
  if (!record.end_time.has_value()) return missing("end_time", "a time");
  return std::nullopt;
}

// Otherwise any client that records usage into a usage domain could take the record_ids of a
// member's records before these are settled.
std::optional<Rejection> SourceFault(absl::string_view source) {
  absl::string_view rest = source;
  if (!absl::ConsumePrefix(&rest, "#")) return std::nullopt;
  const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || !absl::StartsWith(rest.substr(digits), "/")) return std::nullopt;
  return Rejection{
      RejectionReason::kInvalidText, "source",
      absl::StrCat("got \"", absl::CHexEscape(source.substr(0, errors::kShownBytes)),
                   "\", want one that does not begin with #NUMBER/, as those of members of a usage "
                   "domain do")};
}

std::optional<Rejection> TimeFault(const UsageSubmission& record, const EndTimes& end_times) {
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
  if (end - start > kMaxSpan) {
    return Rejection{
        RejectionReason::kOutOfRange, "end_time",
        absl::StrCat("got ", absl::ToInt64Hours(end - start) / 24,
                     " days after start_time, want at most ", absl::ToInt64Hours(kMaxSpan) / 24)};
  }
  if (end > end_times.latest) {
    return Rejection{RejectionReason::kEndInFuture, "end_time",
                     absl::StrCat("got ", Format(end), ", want ", Format(end_times.latest),
                                  " at the latest, a minute ahead of the service's clock")};
  }
  if (end < end_times.earliest) {
    return Rejection{RejectionReason::kTooOld, "end_time",
                     absl::StrCat("got ", Format(end), ", want ", Format(end_times.earliest),
                                  " or later, up to where the ledger is rolled up")};
  }
  return std::nullopt;
}

bool InRange(double amount) { return amount >= 0 && amount <= kMaxAmount; }

Rejection OutOfRange(std::string field, double amount) {
  return {RejectionReason::kOutOfRange, std::move(field),
          absl::StrCat("got ", amount, ", want 0 to 1e18")};
}

std::optional<Rejection> AmountFault(const NamedAmounts& tres, absl::string_view tres_field,
                                     const std::optional<double>& billing,
                                     absl::string_view billing_field) {
  for (const auto& [name, amount] : tres) {
    if (InRange(amount)) continue;
    return OutOfRange(TresField(name, tres_field), amount);
  }
  if (billing.has_value() && !InRange(*billing)) {
    return OutOfRange(std::string(billing_field), *billing);
  }
  if (tres.empty() && !billing.has_value()) {
    return Rejection{
        RejectionReason::kNoAmount, std::string(tres_field),
        absl::StrCat("got neither ", tres_field, " nor ", billing_field, ", want one")};
  }
  return std::nullopt;
}

// Fields that cannot be combined with counters.
std::optional<Rejection> CountersFault(const UsageSubmission& record) {
  const auto extra = [](const char* field) {
    return Rejection{RejectionReason::kOutOfRange, field, "got one beside counters, want none"};
  };
  if (!record.record_id.empty()) return extra("record_id");
  if (!record.replaces_record_id.empty()) return extra("replaces_record_id");
  if (!record.tres.empty()) return extra("tres");
  if (record.billing.has_value()) return extra("billing");
  return AmountFault(record.counters->tres_seconds, "counters.tres_seconds",
                     record.counters->billing_seconds, "counters.billing_seconds");
}

}  // namespace

std::string TresField(absl::string_view name, absl::string_view field) {
  return absl::StrCat(field, "[\"", absl::CHexEscape(name.substr(0, errors::kShownBytes)), "\"]");
}

std::optional<Rejection> FindFault(const UsageSubmission& record, const EndTimes& end_times) {
  if (auto fault = TextFault(record)) return fault;
  if (auto fault = MissingField(record)) return fault;
  if (auto fault = SourceFault(record.source)) return fault;
  if (auto fault = TimeFault(record, end_times)) return fault;
  if (auto fault = FindJobFault(record, end_times.latest)) return fault;
  if (record.counters.has_value()) return CountersFault(record);
  for (const absl::string_view prefix :
       {kCountersPrefix, storage::kVoidPrefix, storage::kRestorePrefix, storage::kJobEndPrefix}) {
    if (!absl::StartsWith(record.record_id, prefix)) continue;
    return Rejection{RejectionReason::kInvalidText, "record_id",
                     absl::StrCat("got one that begins with ", prefix,
                                  ", which is reserved for the service; want another")};
  }
  // Otherwise a collector could undo a void, or charge a job beside the record of its end.
  for (const auto& [prefix, who] : {std::pair(storage::kVoidPrefix, "RestoreUsage"),
                                    std::pair(storage::kJobEndPrefix, "the service")}) {
    if (!absl::StartsWith(record.replaces_record_id, prefix)) continue;
    return Rejection{
        RejectionReason::kInvalidText, "replaces_record_id",
        absl::StrCat("got one that begins with ", prefix, ", which only ", who, " replaces")};
  }
  return AmountFault(record.tres, "tres", record.billing, "billing");
}

}  // namespace priorityd::usage
