#include "engine/grants/settings.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"
#include "engine/errors/violations.h"
#include "engine/grants/consequence.h"
#include "engine/grants/price_rule.h"
#include "engine/grants/setting_values.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/site/tres_sum.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::grants {
namespace {

using priority::GrantConsequence;
using slurm::Unexpected;
using TextMap = std::map<std::string, std::string>;

// The context that the meaning of a text depends on.
struct Context {
  absl::TimeZone zone;
  absl::Time now;
};

struct SettingRow {
  absl::string_view name;
  // Sets the members of the text; called for texts that are not empty, and for all required ones.
  absl::Status (*read)(absl::string_view text, const Context& context, Settings* settings);
  // Empty = the default.
  std::string (*write)(const Settings& settings);
  bool required = false;
};

template <typename T, typename Member>
absl::Status Keep(const absl::StatusOr<T>& value, Member* member) {
  if (value.ok()) *member = *value;
  return value.status();
}

absl::Time AfterYears(absl::Time time, int years, const absl::TimeZone& zone) {
  const absl::CivilSecond s = absl::ToCivilSecond(time, zone);
  return absl::FromCivil(
      absl::CivilSecond(s.year() + years, s.month(), s.day(), s.hour(), s.minute(), s.second()),
      zone);
}

absl::Status ReadAccounts(absl::string_view text, const Context&, Settings* settings) {
  std::vector<std::string>& accounts = settings->accounts;
  for (const absl::string_view piece : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    accounts.emplace_back(absl::StripAsciiWhitespace(piece));
    if (absl::Status s = slurm::CheckName(accounts.back()); !s.ok()) return s;
  }
  absl::c_sort(accounts);
  accounts.erase(std::unique(accounts.begin(), accounts.end()), accounts.end());
  if (!accounts.empty() && accounts.size() <= kMaxAccounts) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got ", accounts.size(), " accounts, want 1 to ", kMaxAccounts));
}

absl::Status ReadUser(absl::string_view text, const Context&, Settings* settings) {
  settings->user = std::string(text);
  return slurm::CheckName(text);
}

// A sum such as `cpu=1,mem=0.25G`.
absl::Status ReadTresSum(absl::string_view text, Settings* settings) {
  const absl::StatusOr<priority::TresMap> weights = slurm::ParseBillingWeights(text);
  if (!weights.ok()) return weights.status();
  const bool has_bad_weight = absl::c_any_of(*weights, [](const auto& term) {
    return term.second < kMinWeight || term.second > kMaxWeight;
  });
  if (weights->empty() || weights->size() > kMaxTerms || has_bad_weight ||
      weights->contains("billing")) {
    return Unexpected(
        text, absl::StrCat("1 to ", kMaxTerms, " TRES other than billing with weights from ",
                           kMinWeight, " to ", kMaxWeight, " for each unit"));
  }
  settings->tres = priority::TresSumText(*weights);
  return absl::OkStatus();
}

absl::Status ReadTres(absl::string_view text, const Context&, Settings* settings) {
  if (absl::StrContains(text, '=') || absl::StrContains(text, ',')) {
    return ReadTresSum(text, settings);
  }
  if (priority::IsPrice(text)) {
    settings->tres = std::string(text);
    return CheckBookName(text.substr(priority::kPricePrefix.size()));
  }
  if (Keep(priority::CanonicalTresName(text), &settings->tres).ok()) return absl::OkStatus();
  return Unexpected(text,
                    "cpu, mem, node, energy, billing, vmem, pages, gres/NAME, license/NAME, "
                    "bb/NAME, fs/NAME or ic/NAME, a sum such as cpu=1,gres/gpu=20, or the money of "
                    "a price book such as price/academic");
}

absl::Status ReadGrantedAmount(absl::string_view text, const Context&, Settings* settings) {
  const bool is_money = priority::IsPrice(settings->tres);
  return Keep(is_money ? ReadMoney(text) : ReadAmount(text),
              &settings->grant.versions.front().amount);
}

absl::Status ReadBegin(absl::string_view text, const Context& context, Settings* settings) {
  Grant& grant = settings->grant;
  const absl::Status status = Keep(ReadTime(text, context.zone, context.now), &grant.begin);
  grant.versions.front().effective = grant.begin;
  if (grant.begin >= AfterYears(context.now, -kMaxYearsBeforeNow, context.zone) &&
      grant.begin <= AfterYears(context.now, kMaxYearsAfterNow, context.zone)) {
    return status;
  }
  return Unexpected(text, absl::StrCat("a time at most ", kMaxYearsBeforeNow, " years ago or ",
                                       kMaxYearsAfterNow, " years ahead"));
}

absl::Status ReadEnd(absl::string_view text, const Context& context, Settings* settings) {
  Grant& grant = settings->grant;
  absl::Status status = Keep(ReadTime(text, context.zone, context.now), &grant.end);
  if (!status.ok()) return status;
  if (grant.end <= grant.begin) return Unexpected(text, "a time after Begin");
  if (grant.end <= AfterYears(grant.begin, kMaxYearsOfGrant, context.zone)) return status;
  return Unexpected(text, absl::StrCat("at most ", kMaxYearsOfGrant, " years after Begin"));
}

absl::Status ReadHalfLife(absl::string_view text, const Context&, Settings* settings) {
  const absl::StatusOr<absl::Duration> half_life = slurm::ParseTimeString(text);
  if (!half_life.ok()) return half_life.status();
  if (*half_life <= absl::ZeroDuration() || *half_life > absl::Hours(24 * kMaxHalfLifeDays)) {
    return Unexpected(text, absl::StrCat("more than 0 and at most ", kMaxHalfLifeDays, "-0"));
  }
  settings->grant.carry_half_life = *half_life;
  return absl::OkStatus();
}

std::string HalfLifeText(const Settings& settings) {
  const std::optional<absl::Duration>& half_life = settings.grant.carry_half_life;
  return half_life.has_value() ? slurm::FormatTimeString(*half_life) : "";
}

absl::Status ReadSettingOfConsequence(absl::string_view text, const Context&, Settings* settings) {
  absl::StatusOr<Consequence> read = ReadConsequence(text);
  if (!read.ok()) return read.status();
  settings->consequence = read->kind;
  settings->demoted_qos = std::move(read->demoted_qos);
  settings->measure = std::move(read->measure);
  return absl::OkStatus();
}

std::string SettingOfConsequence(const Settings& settings) {
  if (settings.consequence == GrantConsequence::kNone) return "";
  return ConsequenceText({settings.consequence, settings.demoted_qos, settings.measure});
}

// A part of the grant whose default is 0.
template <int64_t Grant::*part>
absl::Status ReadPart(absl::string_view text, const Context&, Settings* settings) {
  return Keep(ReadPercentage(text), &(settings->grant.*part));
}
template <int64_t Grant::*part>
std::string PartText(const Settings& settings) {
  return settings.grant.*part == 0 ? "" : PercentageText(settings.grant.*part);
}

// End after Begin, which it is compared with; Amount after TRES, on which its unit depends.
constexpr SettingRow kSettings[] = {
    {"Accounts", ReadAccounts, [](const Settings& s) { return absl::StrJoin(s.accounts, ","); },
     true},
    {"User", ReadUser, [](const Settings& s) { return s.user; }},
    {"TRES", ReadTres, [](const Settings& s) { return s.tres; }},
    {"Amount", ReadGrantedAmount,
     [](const Settings& s) {
       const Amount amount = s.grant.versions.back().amount;
       return priority::IsPrice(s.tres) ? MoneyText(amount) : AmountText(amount);
     },
     true},
    {"Begin", ReadBegin, [](const Settings& s) { return TimeText(s.grant.begin); }},
    {"End", ReadEnd,
     [](const Settings& s) {
       return s.grant.end == absl::InfiniteFuture() ? "" : TimeText(s.grant.end);
     }},
    {"Window",
     [](absl::string_view text, const Context&, Settings* s) {
       return ReadWindow(text, &s->grant);
     },
     [](const Settings& s) { return WindowText(s.grant); }},
    {"CarryOver", ReadPart<&Grant::carry_over>, PartText<&Grant::carry_over>},
    {"CarryOverCap",
     [](absl::string_view text, const Context&, Settings* s) {
       return Keep(ReadPercentage(text), &s->grant.carry_cap);
     },
     [](const Settings& s) {
       return s.grant.carry_cap.has_value() ? PercentageText(*s.grant.carry_cap) : "";
     }},
    {"CarryOverWindows",
     [](absl::string_view text, const Context&, Settings* s) {
       return Keep(ReadWholeNumber(text, 1, kMaxCarryWindows), &s->grant.carry_windows);
     },
     [](const Settings& s) {
       return s.grant.carry_windows == 1 ? "" : absl::StrCat(s.grant.carry_windows);
     }},
    {"CarryOverHalfLife", ReadHalfLife, HalfLifeText},
    {"Borrow", ReadPart<&Grant::borrow>, PartText<&Grant::borrow>},
    {"Grace", ReadPart<&Grant::grace>, PartText<&Grant::grace>},
    {"Order",
     [](absl::string_view text, const Context&, Settings* s) {
       return Keep(ReadWholeNumber(text, -kMaxOrder, kMaxOrder), &s->grant.order);
     },
     [](const Settings& s) { return s.grant.order == 0 ? "" : absl::StrCat(s.grant.order); }},
    {"Consequence", ReadSettingOfConsequence, SettingOfConsequence},
};

// Collects what is wrong with the texts of one grant.
class SettingReader {
 public:
  SettingReader(const TextMap& texts, const absl::TimeZone& zone, absl::Time now)
      : texts_(texts), context_{zone, now} {
    result_.grant.begin = absl::FromUnixSeconds(absl::ToUnixSeconds(now));
    result_.grant.versions = {{result_.grant.begin, Amount()}};
  }

  absl::StatusOr<Settings> Read() && {
    CheckNames();
    for (const SettingRow& row : kSettings) {
      const absl::string_view text = Text(row.name);
      if (!text.empty() || row.required) Add(row.name, row.read(text, context_, &result_));
    }
    if (violations_.empty()) CheckTogether();
    if (!violations_.empty()) return violations_.ToStatus();
    return std::move(result_);
  }

 private:
  absl::string_view Text(absl::string_view name) const {
    const auto found = texts_.find(std::string(name));
    return found == texts_.end() ? "" : absl::StripAsciiWhitespace(found->second);
  }

  void Add(absl::string_view name, const absl::Status& status) {
    if (!status.ok()) violations_.Add("", absl::StrCat(name, ": ", status.message()));
  }
  // `excess`: what is wrong about the text of the setting.
  void Add(absl::string_view name, absl::string_view excess, absl::string_view want) {
    violations_.Add(
        "", absl::StrCat(name, ": got ", slurm::Quoted(Text(name)), " ", excess, ", want ", want));
  }

  void CheckNames() {
    for (const auto& [name, text] : texts_) {
      const absl::StatusOr<absl::string_view> found = FindSetting(name);
      if (!found.ok()) {
        Add("Settings", found.status());
      } else if (*found != name) {
        Add("Settings", Unexpected(name, *found));
      }
    }
  }

  void CheckTogether() {
    const Grant& grant = result_.grant;
    if (!result_.user.empty() && result_.accounts.size() > 1) {
      Add("User", absl::StrCat("with ", result_.accounts.size(), " accounts"),
          "it with one account");
    }
    if (grant.carry_over == 0) CheckNothingIsCarried();
    if (grant.window != WindowKind::kFixed && grant.window != WindowKind::kRolling) return;
    const std::string excess = absl::StrCat("with Window=", WindowText(grant));
    const absl::string_view want = "Window=month, quarter or year with it";
    if (grant.carry_over > 0) Add("CarryOver", excess, want);
    if (grant.borrow > 0) Add("Borrow", excess, want);
  }

  void CheckNothingIsCarried() {
    for (const char* name : {"CarryOverCap", "CarryOverWindows", "CarryOverHalfLife"}) {
      if (!Text(name).empty()) Add(name, "without CarryOver", "CarryOver above 0% with it");
    }
  }

  const TextMap& texts_;
  const Context context_;
  errors::Violations violations_{"INVALID_FIELD", slurm::kMaxViolations};
  Settings result_;
};

}  // namespace

absl::StatusOr<absl::string_view> FindSetting(absl::string_view name) {
  for (const SettingRow& row : kSettings) {
    if (absl::EqualsIgnoreCase(row.name, name)) return row.name;
  }
  return Unexpected(name, absl::StrCat("one of ", absl::StrJoin(SettingNames(), ", ")));
}

std::vector<std::string> SettingNames() {
  std::vector<std::string> names;
  for (const SettingRow& row : kSettings) names.emplace_back(row.name);
  return names;
}

absl::StatusOr<Settings> Read(const TextMap& cells, const absl::TimeZone& zone, absl::Time now) {
  return SettingReader(cells, zone, now).Read();
}

TextMap Cells(const Settings& settings) {
  TextMap cells;
  for (const SettingRow& row : kSettings) {
    std::string text = row.write(settings);
    if (!text.empty()) cells.emplace(row.name, std::move(text));
  }
  return cells;
}

}  // namespace priorityd::grants
