#include "client/slurm/tables/report_time.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"

namespace priorityd::tables {
namespace {

// Read in UTC; dates with a year.
constexpr const char* kForms[] = {"%Y-%m-%d",
                                  "%Y-%m-%dt%H:%M",
                                  "%Y-%m-%dt%H:%M:%E*S",
                                  "%Y-%m-%d %H:%M",
                                  "%Y-%m-%d %H:%M:%E*S",
                                  "%m%d%y",
                                  "%m/%d/%y",
                                  "%m.%d.%y",
                                  "%m/%d/%Y",
                                  "%m.%d.%Y",
                                  "%m/%d/%y-%H:%M",
                                  "%m/%d/%y-%H:%M:%S",
                                  "%m.%d.%y-%H:%M",
                                  "%m.%d.%y-%H:%M:%S",
                                  "%m%d%y-%H:%M",
                                  "%m%d%y-%H:%M:%S"};
// After `YYYY/`.
constexpr const char* kFormsOfThisYear[] = {
    "%Y/%m/%d",       "%Y/%m.%d",          "%Y/%m%d",       "%Y/%m/%d-%H:%M",  "%Y/%m/%d-%H:%M:%S",
    "%Y/%m.%d-%H:%M", "%Y/%m.%d-%H:%M:%S", "%Y/%m%d-%H:%M", "%Y/%m%d-%H:%M:%S"};
constexpr const char* kClockForms[] = {"%H:%M", "%H:%M:%E*S"};

// The prefix of `text` that matches one of `forms`; read as if in UTC.
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
  if (text == "elevenses") return absl::CivilSecond(today) + 11 * 3600;
  if (text == "noon") return absl::CivilSecond(today) + 12 * 3600;
  if (text == "fika") return absl::CivilSecond(today) + 15 * 3600;
  if (text == "teatime") return absl::CivilSecond(today) + 16 * 3600;
  if (text == "yesterday") return absl::CivilSecond(today - 1);
  if (text == "tomorrow") return absl::CivilSecond(today + 1);
  return std::nullopt;
}

std::optional<absl::CivilSecond> ParseDateOrClock(const std::string& text, absl::CivilSecond now) {
  if (auto full = ParseOneOf(kForms, text)) return full;
  if (auto clock = ParseOneOf(kClockForms, text)) {
    return absl::CivilSecond(now.year(), now.month(), now.day(), clock->hour(), clock->minute(),
                             clock->second());
  }
  return ParseOneOf(kFormsOfThisYear, absl::StrCat(now.year(), "/", text));
}

// `2:30pm`: an hour from 1 to 12 with AM or PM.
std::optional<absl::CivilSecond> ParseHalfDay(absl::string_view text, absl::CivilSecond now) {
  const bool is_pm = absl::ConsumeSuffix(&text, "pm");
  if (!is_pm && !absl::ConsumeSuffix(&text, "am")) return std::nullopt;
  const auto read = ParseDateOrClock(std::string(absl::StripTrailingAsciiWhitespace(text)), now);
  if (!read.has_value() || read->hour() < 1 || read->hour() > 12) return std::nullopt;
  return *read + ((is_pm ? 12 : 0) - (read->hour() == 12 ? 12 : 0)) * 3600;
}

std::optional<absl::CivilSecond> ParseCivil(const std::string& text, absl::CivilSecond now) {
  if (auto named = ParseNamed(text, now)) return named;
  if (auto read = ParseDateOrClock(text, now)) return read;
  return ParseHalfDay(text, now);
}

// `uts1795180031`
std::optional<absl::Time> ParseUnixTime(absl::string_view text) {
  int64_t seconds = 0;
  constexpr int64_t kMost = 253402300799;  // In the year 9999.
  if (!absl::ConsumePrefix(&text, "uts") || text.empty() || !absl::ascii_isdigit(text[0]) ||
      !absl::SimpleAtoi(text, &seconds) || seconds > kMost) {
    return std::nullopt;
  }
  return absl::FromUnixSeconds(seconds);
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

// Whole days are calendar days.
absl::Time Shift(absl::Time time, absl::Duration offset, absl::TimeZone zone) {
  const int64_t days = offset / absl::Hours(24);
  if (offset != days * absl::Hours(24)) return time + offset;
  return absl::FromCivil(absl::ToCivilSecond(time, zone) + days * 86400, zone);
}

absl::Status NoTimeError(const std::string& text) {
  return absl::InvalidArgumentError(
      absl::StrCat("got the time \"", text,
                   "\", want YYYY-MM-DD[THH:MM[:SS]], MMDD[YY], MM/DD[/YY], HH:MM, now, today, "
                   "midnight, noon, yesterday or tomorrow, one of these -N or +N days, hours, ..., "
                   "or RFC 3339, such as 2026-11-20T13:07:11Z"));
}

// Abseil accepts `infinite-future` in every form; it is not a time here.
bool IsInfinite(const std::string& lower) { return absl::StrContains(lower, "infinite-"); }

}  // namespace

absl::StatusOr<absl::Time> ParseReportTime(const std::string& text, absl::Time now,
                                           absl::TimeZone zone) {
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text));
  if (IsInfinite(lower)) return NoTimeError(text);
  absl::Time time;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, nullptr)) return time;
  const absl::CivilSecond local_now = absl::ToCivilSecond(now, zone);
  const auto read = [&](const std::string& moment) -> std::optional<absl::Time> {
    if (moment == "now") return now;
    if (auto unix_time = ParseUnixTime(moment)) return unix_time;
    const auto civil = ParseCivil(moment, local_now);
    if (!civil.has_value()) return std::nullopt;
    return absl::FromCivil(*civil, zone);
  };
  if (auto moment = read(lower)) return *moment;
  const size_t sign = lower.find_last_of("+-");
  if (sign != std::string::npos && sign > 0) {
    const auto moment = read(lower.substr(0, sign));
    const auto offset = ParseOffset(lower.substr(sign + 1));
    if (moment.has_value() && offset.has_value()) {
      return Shift(*moment, lower[sign] == '-' ? -*offset : *offset, zone);
    }
  }
  return NoTimeError(text);
}

std::string ReportTimeText(absl::Time time, absl::TimeZone zone) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", time, zone);
}

}  // namespace priorityd::tables
