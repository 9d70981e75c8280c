#include "engine/grants/setting_values.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/grants/settings.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::grants {
namespace {

constexpr int64_t kMillionthsOfPercent = 10'000;
constexpr size_t kPercentDecimals = 4;
constexpr uint64_t kMostPercent = 1000;
constexpr absl::string_view kRollingPrefix = "rolling:";

constexpr std::pair<absl::string_view, WindowKind> kWindows[] = {{"fixed", WindowKind::kFixed},
                                                                 {"month", WindowKind::kMonth},
                                                                 {"quarter", WindowKind::kQuarter},
                                                                 {"year", WindowKind::kYear}};

bool ParsesTime(absl::string_view text, const absl::TimeZone& zone, absl::Time* time) {
  for (const char* format :
       {"%Y-%m-%d", "%Y-%m-%d%ET%H:%M", "%Y-%m-%d%ET%H:%M:%S", absl::RFC3339_full}) {
    if (absl::ParseTime(format, text, zone, time, nullptr)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<int64_t> ReadPercentage(absl::string_view text) {
  absl::string_view number = text;
  const bool has_sign = absl::ConsumeSuffix(&number, "%");
  const std::pair<absl::string_view, std::string> parts =
      absl::StrSplit(number, absl::MaxSplits('.', 1));
  std::string decimals = parts.second;
  const bool has_point = parts.first.size() < number.size();
  const bool fits = decimals.size() <= kPercentDecimals && has_point == !decimals.empty();
  if (fits) decimals.resize(kPercentDecimals, '0');
  const auto percent = slurm::ReadInteger(parts.first, kMostPercent);
  const auto fraction = slurm::ReadInteger(decimals, kMillionthsOfPercent - 1);
  if (has_sign && fits && percent.has_value() && fraction.has_value() &&
      (*percent < kMostPercent || *fraction == 0)) {
    return static_cast<int64_t>(*percent * kMillionthsOfPercent + *fraction);
  }
  return slurm::Unexpected(text,
                           "a percentage such as 12.5%, from 0% to 1000%, with at most 4 decimals");
}

std::string PercentageText(int64_t millionths) {
  const std::string text = absl::StrFormat("%d.%04d", millionths / kMillionthsOfPercent,
                                           millionths % kMillionthsOfPercent);
  return absl::StrCat(absl::StripSuffix(text.substr(0, text.find_last_not_of('0') + 1), "."), "%");
}

absl::StatusOr<int64_t> ReadWholeNumber(absl::string_view text, int64_t least, int64_t most) {
  absl::string_view digits = text;
  const bool negative = absl::ConsumePrefix(&digits, "-");
  const auto magnitude = slurm::ReadInteger(digits, static_cast<uint64_t>(INT64_MAX));
  const int64_t sign = negative ? -1 : 1;
  const int64_t value = sign * static_cast<int64_t>(magnitude.value_or(0));
  if (magnitude.has_value() && value >= least && value <= most) return value;
  return slurm::Unexpected(text, absl::StrCat("a whole number from ", least, " to ", most));
}

absl::StatusOr<Amount> ReadAmount(absl::string_view text) {
  absl::string_view number = text;
  const bool hours = absl::ConsumeSuffix(&number, "h") || absl::ConsumeSuffix(&number, "H");
  const absl::StatusOr<Amount> read = Amount::FromDecimal(number);
  const Amount amount = read.value_or(Amount()) * (hours ? 3600 : 60);
  if (read.ok() && amount > Amount() && amount <= Amount::FromMinutes(kMaxMinutes)) return amount;
  return slurm::Unexpected(text,
                           "TRES-minutes such as 120000, or TRES-hours such as 2000h, above 0 and "
                           "at most 1e15 minutes, without an exponent");
}

std::string AmountText(Amount amount) { return (amount / 60).ToDecimal(); }

absl::StatusOr<Amount> ReadMoney(absl::string_view text) {
  const absl::StatusOr<Amount> read = Amount::FromDecimal(text);
  const Amount amount = read.value_or(Amount()) * 3600;
  if (read.ok() && amount > Amount() && amount <= Amount::FromMinutes(kMaxMinutes)) return amount;
  return slurm::Unexpected(text,
                           "an amount of the currency such as 5000 or 12.5, above 0 and at most "
                           "1.6e13, without an exponent");
}

std::string MoneyText(Amount amount) { return (amount / 3600).ToDecimal(); }

absl::StatusOr<absl::Time> ReadTime(absl::string_view text, const absl::TimeZone& zone,
                                    absl::Time now) {
  static const absl::Time last = absl::FromCivil(absl::CivilYear(10'000), absl::UTCTimeZone());
  if (absl::EqualsIgnoreCase(text, "now")) {
    return absl::FromUnixSeconds(absl::ToUnixSeconds(now));
  }
  absl::Time time;
  if (!ParsesTime(text, zone, &time)) {
    return slurm::Unexpected(
        text, "a time such as 2026-10-01, 2026-10-01T08:00:00 or 2026-10-01T08:00:00Z, or now");
  }
  if (time >= absl::UnixEpoch() && time < last) {
    return absl::FromUnixMicros(absl::ToUnixMicros(time));
  }
  return slurm::Unexpected(text, "a time of the years 1970 to 9999");
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E*SZ", time, absl::UTCTimeZone());
}

absl::Status ReadWindow(absl::string_view text, Grant* grant) {
  for (const auto& [name, kind] : kWindows) {
    if (!absl::EqualsIgnoreCase(text, name)) continue;
    grant->window = kind;
    return absl::OkStatus();
  }
  if (absl::StartsWithIgnoreCase(text, kRollingPrefix)) {
    const auto days = ReadWholeNumber(text.substr(kRollingPrefix.size()), 1, kMaxRollingDays);
    if (days.ok()) {
      grant->window = WindowKind::kRolling;
      grant->rolling_days = static_cast<int>(*days);
      return absl::OkStatus();
    }
  }
  return slurm::Unexpected(
      text, absl::StrCat("fixed, month, quarter, year or rolling:N, N from 1 to ", kMaxRollingDays,
                         " days"));
}

std::string WindowText(const Grant& grant) {
  for (const auto& [name, kind] : kWindows) {
    if (kind == grant.window) return std::string(name);
  }
  return absl::StrCat(kRollingPrefix, grant.rolling_days);
}

}  // namespace priorityd::grants
