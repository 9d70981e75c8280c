#include "server/api/shared/lease_term.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/grants/setting_values.h"
#include "engine/priority/site/microseconds.h"
#include "engine/slurm/words/file_violations.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::Setting;

constexpr int kMaxLeaseYears = 10;
constexpr int64_t kMaxUnits = 1'000'000'000;

// A time, and the field that gives it.
struct GivenTime {
  std::string field;
  absl::Time time;
};

using MaybeTime = std::optional<GivenTime>;

absl::Status BadTerm(const std::string& field, const std::string& description) {
  return errors::BadRequestError("INVALID_FIELD", {{field, description}});
}

std::string Text(absl::Time time, absl::TimeZone zone) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", time, zone);
}

// `3days`, as Slurm writes what is added to `now`; seconds without a unit.
std::optional<absl::Duration> ParseLater(absl::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  int64_t count = 0;
  if (!absl::SimpleAtoi(text.substr(0, digits), &count) || count > kMaxUnits) return std::nullopt;
  const std::string unit = absl::AsciiStrToLower(text.substr(digits));
  const auto is = [&](absl::string_view name) {
    return !unit.empty() && absl::StartsWith(name, unit);
  };
  if (unit.empty() || is("seconds")) return absl::Seconds(count);
  if (is("minutes")) return absl::Minutes(count);
  if (is("hours")) return absl::Hours(count);
  if (is("days")) return absl::Hours(24) * count;
  if (is("weeks")) return absl::Hours(24 * 7) * count;
  return std::nullopt;
}

absl::StatusOr<absl::Time> ReadTermTime(const std::string& text, absl::Time now,
                                        absl::TimeZone zone) {
  if (!absl::StartsWithIgnoreCase(text, "now+")) {
    const auto time = grants::ReadTime(text, zone, now);
    if (time.ok()) return time;
    return absl::InvalidArgumentError(absl::StrCat(time.status().message(), ", or now+2hours"));
  }
  const auto later = ParseLater(absl::string_view(text).substr(4));
  if (later.has_value()) return now + *later;
  return slurm::Unexpected(text,
                           "now and a number of seconds, minutes, hours, days or weeks, such "
                           "as now+3days");
}

bool IsTerm(const Setting& setting) {
  return absl::EqualsIgnoreCase(setting.name, "From") ||
         absl::EqualsIgnoreCase(setting.name, "Until");
}

// The value of the setting `word`.
absl::StatusOr<MaybeTime> TimeIn(const std::vector<Setting>& settings, absl::string_view word,
                                 absl::Time now, absl::TimeZone zone) {
  MaybeTime found;
  for (size_t i = 0; i < settings.size(); ++i) {
    if (!absl::EqualsIgnoreCase(settings[i].name, word)) continue;
    const std::string field = absl::StrCat("settings[", i, "]");
    if (found.has_value()) {
      return BadTerm(field + ".name", absl::StrCat("got ", word, " a second time, want it once"));
    }
    if (settings[i].op != administration::SettingOperator::kSet) {
      return BadTerm(field + ".operator", absl::StrCat("got += or -= of ", word, ", want ="));
    }
    const auto time = ReadTermTime(settings[i].value, now, zone);
    if (!time.ok()) return BadTerm(field + ".value", std::string(time.status().message()));
    found = {field + ".value", *time};
  }
  return found;
}

absl::Status CheckPeriod(const MaybeTime& from, const GivenTime& until, absl::Time now,
                         absl::TimeZone zone) {
  const std::string got = absl::StrCat("got ", Text(until.time, zone), ", want ");
  if (until.time <= now) {
    return BadTerm(until.field, absl::StrCat(got, "a time after ", Text(now, zone)));
  }
  const absl::CivilSecond civil = zone.At(now).cs;
  const absl::CivilSecond last(civil.year() + kMaxLeaseYears, civil.month(), civil.day(),
                               civil.hour(), civil.minute(), civil.second());
  if (until.time > absl::FromCivil(last, zone)) {
    return BadTerm(until.field, absl::StrCat(got, "at most ", kMaxLeaseYears, " years ahead"));
  }
  if (!from.has_value() || from->time < until.time) return absl::OkStatus();
  return BadTerm(from->field, absl::StrCat("got ", Text(from->time, zone), ", want a time before ",
                                           Text(until.time, zone)));
}

absl::StatusOr<LeasePeriod> PeriodOf(const MaybeTime& from, const GivenTime& until, absl::Time now,
                                     absl::TimeZone zone) {
  if (absl::Status s = CheckPeriod(from, until, now, zone); !s.ok()) return s;
  const absl::Time begin = from.has_value() ? std::max(now, from->time) : now;
  return LeasePeriod{priority::CutToMicroseconds(begin), priority::CutToMicroseconds(until.time)};
}

absl::StatusOr<GivenTime> ReadTerm(const char* field, const std::string& text, absl::Time now,
                                   absl::TimeZone zone) {
  const auto time = ReadTermTime(text, now, zone);
  if (!time.ok()) return BadTerm(field, std::string(time.status().message()));
  return GivenTime{field, *time};
}

}  // namespace

absl::StatusOr<std::optional<LeasePeriod>> TakeLeasePeriod(const v1::ChangeOptions& options,
                                                           absl::Time now, absl::TimeZone zone,
                                                           std::vector<Setting>* settings) {
  const auto named_from = TimeIn(*settings, "From", now, zone);
  if (!named_from.ok()) return named_from.status();
  const auto named_until = TimeIn(*settings, "Until", now, zone);
  if (!named_until.ok()) return named_until.status();
  settings->erase(std::remove_if(settings->begin(), settings->end(), IsTerm), settings->end());
  MaybeTime from = *named_from, until = *named_until;
  if (options.has_from()) from = {"options.from", ToTime(options.from())};
  if (options.has_until()) until = {"options.until", ToTime(options.until())};
  if (!until.has_value()) {
    if (!from.has_value()) return std::nullopt;
    return BadTerm(from->field, "got a begin without an end, want until too");
  }
  if (settings->empty()) return BadTerm("settings", "got only a period, want a setting too");
  return PeriodOf(from, *until, now, zone);
}

absl::StatusOr<LeasePeriod> ReadLeasePeriod(const std::string& from, const std::string& until,
                                            absl::Time now, absl::TimeZone zone) {
  MaybeTime begin;
  if (!from.empty()) {
    auto given = ReadTerm("from", from, now, zone);
    if (!given.ok()) return given.status();
    begin = *std::move(given);
  }
  const auto end = ReadTerm("until", until, now, zone);
  if (!end.ok()) return end.status();
  return PeriodOf(begin, *end, now, zone);
}

}  // namespace priorityd::rpc
