#include "client/prioctl/report_time.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"

namespace priorityd::prioctl {
namespace {

constexpr const char* kForms[] = {"%Y-%m-%d", "%Y-%m-%dt%H:%M", "%Y-%m-%dt%H:%M:%S",
                                  "%m%d%y",   "%m/%d/%y",       "%m.%d.%y",
                                  "%m/%d/%Y", "%m/%d/%y-%H:%M"};
constexpr const char* kClockForms[] = {"%H:%M", "%H:%M:%S"};

// The part of `text` that one of `forms` is; read as if in UTC.
template <size_t N>
std::optional<absl::CivilSecond> ParseOneOf(const char* const (&forms)[N],
                                            const std::string& text) {
  for (const char* form : forms) {
    absl::Time time;
    if (absl::ParseTime(form, text, absl::UTCTimeZone(), &time, nullptr)) {
      return absl::ToCivilSecond(time, absl::UTCTimeZone());
    }
  }
  return std::nullopt;
}

std::optional<absl::CivilSecond> ParseNamed(const std::string& text, absl::CivilSecond now) {
  const absl::CivilDay today(now);
  if (text == "now") return now;
  if (text == "today" || text == "midnight") return absl::CivilSecond(today);
  if (text == "noon") return absl::CivilSecond(today) + 12 * 3600;
  if (text == "yesterday") return absl::CivilSecond(today - 1);
  if (text == "tomorrow") return absl::CivilSecond(today + 1);
  return std::nullopt;
}

std::optional<absl::CivilSecond> ParseCivil(const std::string& text, absl::CivilSecond now) {
  if (auto named = ParseNamed(text, now)) return named;
  if (auto full = ParseOneOf(kForms, text)) return full;
  if (auto clock = ParseOneOf(kClockForms, text)) {
    return absl::CivilSecond(now.year(), now.month(), now.day(), clock->hour(), clock->minute(),
                             clock->second());
  }
  if (auto day = ParseOneOf({"%Y/%m/%d"}, absl::StrCat(now.year(), "/", text))) return day;
  return std::nullopt;
}

// `1week`, `30` (seconds), `2days`.
std::optional<absl::Duration> ParseOffset(absl::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(text[digits])) ++digits;
  int64_t count = 0;
  if (digits > 9 || !absl::SimpleAtoi(text.substr(0, digits), &count)) return std::nullopt;
  const absl::string_view unit = text.substr(digits);
  if (unit.empty()) return absl::Seconds(count);
  constexpr std::pair<absl::string_view, int> kUnits[] = {
      {"seconds", 1}, {"minutes", 60}, {"hours", 3600}, {"days", 86400}, {"weeks", 7 * 86400}};
  for (const auto& [name, seconds] : kUnits) {
    if (absl::StartsWith(name, unit)) return absl::Seconds(count * seconds);
  }
  return std::nullopt;
}

// Whole days are days of the calendar.
absl::Time Shift(absl::Time time, absl::Duration offset, absl::TimeZone zone) {
  const int64_t days = offset / absl::Hours(24);
  if (offset != days * absl::Hours(24)) return time + offset;
  return absl::FromCivil(absl::ToCivilSecond(time, zone) + days * 86400, zone);
}

absl::Status NoTimeError(const std::string& text) {
  return absl::InvalidArgumentError(
      absl::StrCat("got the time \"", text,
                   "\", want YYYY-MM-DD[THH:MM[:SS]], MMDDYY, HH:MM, now, today, midnight, noon, "
                   "yesterday or tomorrow, or one of these -N or +N days, hours, ..."));
}

// Abseil reads `infinite-future` in any form, and it is no moment.
bool IsInfinite(const std::string& lower) { return absl::StrContains(lower, "infinite-"); }

}  // namespace

bool ParseRfc3339(const std::string& text, absl::Time* time) {
  return !IsInfinite(absl::AsciiStrToLower(text)) &&
         absl::ParseTime(absl::RFC3339_full, text, time, nullptr);
}

absl::StatusOr<absl::Time> ParseReportTime(const std::string& text, absl::Time now,
                                           absl::TimeZone zone) {
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text));
  if (IsInfinite(lower)) return NoTimeError(text);
  absl::Time time;
  if (ParseRfc3339(text, &time)) return time;
  const absl::CivilSecond local_now = absl::ToCivilSecond(now, zone);
  if (auto civil = ParseCivil(lower, local_now)) {
    return lower == "now" ? now : absl::FromCivil(*civil, zone);
  }
  const size_t sign = lower.find_last_of("+-");
  if (sign != std::string::npos && sign > 0) {
    const auto civil = ParseCivil(lower.substr(0, sign), local_now);
    const auto offset = ParseOffset(lower.substr(sign + 1));
    if (civil.has_value() && offset.has_value()) {
      return Shift(absl::FromCivil(*civil, zone), lower[sign] == '-' ? -*offset : *offset, zone);
    }
  }
  return NoTimeError(text);
}

std::string ReportTimeText(absl::Time time, absl::TimeZone zone) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", time, zone);
}

}  // namespace priorityd::prioctl
