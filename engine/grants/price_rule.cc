#include "engine/grants/price_rule.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/civil_time.h"
#include "engine/grants/amount.h"
#include "engine/grants/setting_values.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"

namespace priorityd::grants {
namespace {

using slurm::Unexpected;

constexpr const char* kDayWords[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
constexpr int64_t kUnitsOfCurrency = 1'000'000'000'000;
constexpr int kHoursOfDay = 24;

// Amount reads 18 decimals, of which the last 6 must be 0.
absl::Status ReadPerHour(const std::string& text, PriceRule* rule) {
  const absl::string_view want = "a number from 0 to 1000000 with at most 12 decimals";
  const auto amount = Amount::FromDecimal(text);
  const size_t point = std::min(text.find('.'), text.size());
  int64_t whole = 0;
  int64_t below = 0;
  std::string decimals = text.substr(std::min(point + 1, text.size()));
  decimals.resize(12, '0');
  const bool reads = amount.ok() && *amount >= Amount() &&
                     *amount <= Amount::Of(kMaxPrice, absl::Seconds(1)) &&
                     text.size() - point <= 13 && absl::SimpleAtoi(text.substr(0, point), &whole) &&
                     absl::SimpleAtoi(decimals, &below);
  if (!reads) return Unexpected(text, want);
  rule->per_hour = whole * kUnitsOfCurrency + below;
  return absl::OkStatus();
}

template <std::set<std::string> PriceRule::*names>
absl::Status ReadNames(const std::string& text, PriceRule* rule) {
  const std::vector<std::string> given = absl::StrSplit(text, ',');
  for (const std::string& name : given) {
    if (absl::Status s = slurm::CheckName(name); !s.ok()) return s;
    if (!(rule->*names).insert(name).second) return Unexpected(name, "each name once");
  }
  if (given.size() <= kMaxRuleNames) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got ", given.size(), " names, want at most ", kMaxRuleNames));
}

absl::Status ReadHours(const std::string& text, PriceRule* rule) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
  int begin = 0;
  int end = 0;
  const bool reads = ends.size() == 2 && absl::SimpleAtoi(ends[0], &begin) &&
                     absl::SimpleAtoi(ends[1], &end) && begin >= 0 && begin < kHoursOfDay &&
                     end >= 0 && end <= kHoursOfDay && begin != end;
  if (!reads) return Unexpected(text, "full hours, such as 8-20, or 20-8 over midnight");
  const int until = end > begin ? end : end + kHoursOfDay;
  for (int hour = begin; hour < until; ++hour) rule->hours |= 1u << hour % kHoursOfDay;
  return absl::OkStatus();
}

absl::Status ReadDays(const std::string& text, PriceRule* rule) {
  for (const absl::string_view day : absl::StrSplit(text, ',')) {
    const auto* found = std::find(std::begin(kDayWords), std::end(kDayWords), day);
    if (found == std::end(kDayWords)) {
      return Unexpected(day, absl::StrJoin(kDayWords, ", "));
    }
    rule->days |= 1u << (found - std::begin(kDayWords));
  }
  return absl::OkStatus();
}

template <absl::Time PriceRule::*time>
absl::Status ReadRuleTime(const std::string& text, PriceRule* rule) {
  const auto read = ReadPriceTime(text);
  if (!read.ok()) return read.status();
  rule->*time = *read;
  if (rule->from < rule->until) return absl::OkStatus();
  return Unexpected(text, "a time after From");
}

// `20-8` of the bits of consecutive hours, perhaps over midnight.
std::string HoursText(uint32_t hours) {
  int begin = 0;
  const auto has = [hours](int hour) { return (hours >> (hour % kHoursOfDay) & 1) != 0; };
  while (!has(begin) || has(begin + kHoursOfDay - 1)) {
    if (++begin == kHoursOfDay) return "0-24";
  }
  int end = begin;
  while (has(end)) ++end;
  return absl::StrCat(begin, "-", end > kHoursOfDay ? end - kHoursOfDay : end);
}

std::string DaysText(uint32_t days) {
  std::vector<absl::string_view> words;
  for (size_t i = 0; i < std::size(kDayWords); ++i) {
    if (days >> i & 1) words.push_back(kDayWords[i]);
  }
  return absl::StrJoin(words, ",");
}

std::string PerHourText(int64_t per_hour) {
  return Amount::OfRate(per_hour, absl::Seconds(1)).ToDecimal();
}

struct RuleCell {
  const char* name;
  absl::Status (*read)(const std::string& text, PriceRule* rule);
  std::string (*write)(const PriceRule& rule);  // Empty = the default.
};

// Until after From, which it is compared with.
constexpr RuleCell kRuleCells[] = {
    {"PerHour", ReadPerHour, [](const PriceRule& rule) { return PerHourText(rule.per_hour); }},
    {"Partition", ReadNames<&PriceRule::partitions>,
     [](const PriceRule& rule) { return absl::StrJoin(rule.partitions, ","); }},
    {"QOS", ReadNames<&PriceRule::qos>,
     [](const PriceRule& rule) { return absl::StrJoin(rule.qos, ","); }},
    {"Hours", ReadHours,
     [](const PriceRule& rule) { return rule.hours == 0 ? "" : HoursText(rule.hours); }},
    {"Days", ReadDays, [](const PriceRule& rule) { return DaysText(rule.days); }},
    {"From", ReadRuleTime<&PriceRule::from>,
     [](const PriceRule& rule) {
       return rule.from == absl::InfinitePast() ? "" : TimeText(rule.from);
     }},
    {"Until", ReadRuleTime<&PriceRule::until>,
     [](const PriceRule& rule) {
       return rule.until == absl::InfiniteFuture() ? "" : TimeText(rule.until);
     }},
};

absl::Status Named(absl::string_view name, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
}

}  // namespace

bool PriceRule::HoldsAt(absl::Time time, const absl::CivilSecond& local) const {
  if (time < from || time >= until) return false;
  if (hours != 0 && (hours >> local.hour() & 1) == 0) return false;
  return days == 0 || (days >> static_cast<int>(absl::GetWeekday(local)) & 1) != 0;
}

bool PriceRule::IsFor(absl::string_view partition, absl::string_view qos_name) const {
  return (partitions.empty() || partitions.contains(std::string(partition))) &&
         (qos.empty() || qos.contains(std::string(qos_name)));
}

absl::StatusOr<PriceRule> ReadPriceRule(absl::string_view tres,
                                        const std::map<std::string, std::string>& cells) {
  PriceRule rule;
  rule.tres = std::string(tres);
  if (tres.empty() || !priority::FitsTresList(tres)) {
    return Named("Price", absl::InvalidArgumentError(priority::kUnfitTresName));
  }
  std::vector<absl::string_view> names;
  size_t known = 0;
  for (const RuleCell& cell : kRuleCells) {
    names.push_back(cell.name);
    const auto found = cells.find(cell.name);
    if (found == cells.end()) continue;
    ++known;
    if (absl::Status s = cell.read(found->second, &rule); !s.ok()) return Named(cell.name, s);
  }
  if (!cells.contains("PerHour")) {
    return Named("PerHour", absl::InvalidArgumentError("got none, want one"));
  }
  for (const auto& [name, text] : cells) {
    if (known == cells.size()) break;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return Named("options", Unexpected(name, absl::StrJoin(names, ", ")));
    }
  }
  return rule;
}

absl::string_view RuleCellName(absl::string_view name) {
  for (const RuleCell& cell : kRuleCells) {
    if (absl::EqualsIgnoreCase(cell.name, name)) return cell.name;
  }
  return name;
}

absl::StatusOr<absl::Time> ReadPriceTime(absl::string_view text) {
  absl::Time time;
  const bool reads = absl::ParseTime(absl::RFC3339_full, text, &time, nullptr) &&
                     time >= absl::UnixEpoch() &&
                     absl::ToCivilYear(time, absl::UTCTimeZone()) < absl::CivilYear(10'000) &&
                     absl::UnixEpoch() + absl::Floor(time - absl::UnixEpoch(), kPriceStep) == time;
  if (reads) return time;
  return Unexpected(text, "a full quarter of an hour from 1970 to 9999, as 2026-10-01T00:00:00Z");
}

absl::Status CheckBookName(absl::string_view name) {
  if (name.empty() || !priority::FitsTresList(name)) {
    return Unexpected(name, "the name of a price book, without spaces, commas, = and |");
  }
  return slurm::CheckName(name);
}

std::vector<std::pair<std::string, std::string>> CellsOf(const PriceRule& rule) {
  std::vector<std::pair<std::string, std::string>> cells;
  for (const RuleCell& cell : kRuleCells) {
    std::string text = cell.write(rule);
    if (!text.empty()) cells.emplace_back(cell.name, std::move(text));
  }
  return cells;
}

}  // namespace priorityd::grants
