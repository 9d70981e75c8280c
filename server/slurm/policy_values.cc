#include "server/slurm/policy_values.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "server/slurm/file_violations.h"
#include "server/slurm/numbers.h"
#include "server/slurm/purge_age.h"
#include "server/slurm/site_factor_parameters.h"
#include "server/slurm/time_string.h"
#include "server/slurm/tres_list.h"

namespace priorityd::slurm {
namespace {

constexpr uint32_t kMaxWeight = std::numeric_limits<uint32_t>::max();

absl::Status Error(absl::string_view got, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("got ", Quoted(got), ", want ", want));
}

// The value of the word that `text` is (case-insensitive).
template <typename T>
struct Word {
  absl::string_view name;
  T value;
};

template <typename T, size_t kSize>
absl::Status ReadWord(absl::string_view text, const Word<T> (&words)[kSize], T& value) {
  std::string names;
  for (const Word<T>& word : words) {
    if (absl::EqualsIgnoreCase(text, word.name)) {
      value = word.value;
      return absl::OkStatus();
    }
    absl::StrAppend(&names,
                    names.empty()                  ? ""
                    : &word == std::end(words) - 1 ? " or "
                                                   : ", ",
                    word.name);
  }
  return Error(text, names);
}

template <uint32_t priority::Policy::*kWeight>
absl::Status ReadWeight(absl::string_view text, PolicyDraft& draft) {
  const std::optional<uint64_t> weight = ReadInteger(text, kMaxWeight);
  if (!weight.has_value()) return Error(text, "a whole number from 0 to 4294967295");
  draft.policy.*kWeight = static_cast<uint32_t>(*weight);
  return absl::OkStatus();
}

absl::Status ReadWeightTres(absl::string_view text, PolicyDraft& draft) {
  absl::StatusOr<priority::TresMap> weights = ParseTresWeights(text);
  if (!weights.ok()) return weights.status();
  draft.policy.weight_tres = *std::move(weights);
  draft.policy.weight_tres_text = std::string(text);
  return absl::OkStatus();
}

absl::Status ReadPriorityType(absl::string_view text, PolicyDraft& draft) {
  static constexpr Word<priority::PriorityType> kWords[] = {
      {"priority/multifactor", priority::PriorityType::kMultifactor},
      {"priority/basic", priority::PriorityType::kBasic},
  };
  return ReadWord(text, kWords, draft.policy.priority_type);
}

absl::Status ReadHalfLife(absl::string_view text, PolicyDraft& draft) {
  const absl::StatusOr<absl::Duration> half_life = ParseTimeString(text);
  if (!half_life.ok()) return half_life.status();
  draft.policy.half_life =
      *half_life == absl::ZeroDuration() ? absl::InfiniteDuration() : *half_life;
  return absl::OkStatus();
}

absl::Status ReadCalcPeriod(absl::string_view text, PolicyDraft& draft) {
  const absl::StatusOr<absl::Duration> period = ParseTimeString(text);
  if (!period.ok()) return period.status();
  if (*period < absl::Minutes(1) || *period == absl::InfiniteDuration()) {
    return Error(text, "at least 1 (minute)");
  }
  draft.policy.calc_period = *period;
  return absl::OkStatus();
}

absl::Status ReadMaxAge(absl::string_view text, PolicyDraft& draft) {
  const absl::StatusOr<absl::Duration> max_age = ParseTimeString(text);
  if (!max_age.ok()) return max_age.status();
  if (*max_age == absl::InfiniteDuration()) return Error(text, "a limited time");
  draft.policy.max_age = *max_age;
  return absl::OkStatus();
}

absl::Status ReadResetPeriod(absl::string_view text, PolicyDraft& draft) {
  static constexpr Word<priority::ResetPeriod> kWords[] = {
      {"NONE", priority::ResetPeriod::kNone},
      {"NOW", priority::ResetPeriod::kNow},
      {"DAILY", priority::ResetPeriod::kDaily},
      {"WEEKLY", priority::ResetPeriod::kWeekly},
      {"MONTHLY", priority::ResetPeriod::kMonthly},
      {"QUARTERLY", priority::ResetPeriod::kQuarterly},
      {"YEARLY", priority::ResetPeriod::kYearly},
  };
  draft.policy.reset_interval = absl::ZeroDuration();
  if (ReadWord(text, kWords, draft.policy.reset_period).ok()) return absl::OkStatus();
  const absl::StatusOr<absl::Duration> interval = ParseTimeString(text);
  if (!interval.ok() || *interval == absl::ZeroDuration() ||
      *interval == absl::InfiniteDuration()) {
    return Error(text,
                 "NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY or an interval above 0 "
                 "such as 28-0");
  }
  draft.policy.reset_period = priority::ResetPeriod::kInterval;
  draft.policy.reset_interval = *interval;
  return absl::OkStatus();
}

absl::Status ReadFavorSmall(absl::string_view text, PolicyDraft& draft) {
  static constexpr Word<bool> kWords[] = {{"YES", true},    {"NO", false}, {"TRUE", true},
                                          {"FALSE", false}, {"1", true},   {"0", false}};
  bool favor_small = false;
  if (!ReadWord(text, kWords, favor_small).ok()) return Error(text, "YES or NO");
  draft.policy.favor_small = favor_small;
  return absl::OkStatus();
}

absl::Status ReadDampeningFactor(absl::string_view text, PolicyDraft& draft) {
  const std::optional<double> factor = ReadDecimal(text);
  if (!factor.has_value() || *factor < 1) return Error(text, "a number of at least 1");
  draft.policy.dampening_factor = *factor;
  return absl::OkStatus();
}

struct FlagName {
  absl::string_view name;
  bool priority::Policy::*field = nullptr;
};

constexpr FlagName kFieldFlags[] = {
    {"ACCRUE_ALWAYS", &priority::Policy::accrue_always},
    {"CALCULATE_RUNNING", &priority::Policy::calculate_running},
    {"INCR_ONLY", &priority::Policy::incr_only},
    {"MAX_TRES", &priority::Policy::max_tres},
    {"MAX_TRES_GRES", &priority::Policy::max_tres_gres},
    {"NO_NORMAL_ASSOC", &priority::Policy::no_normal_assoc},
    {"NO_NORMAL_PART", &priority::Policy::no_normal_part},
    {"NO_NORMAL_QOS", &priority::Policy::no_normal_qos},
    {"NO_NORMAL_TRES", &priority::Policy::no_normal_tres},
    {"SMALL_RELATIVE_TO_TIME", &priority::Policy::small_relative_to_time},
};

bool AddFlag(absl::string_view word, PriorityFlagSet& flags) {
  if (absl::EqualsIgnoreCase(word, "NO_FAIR_TREE")) return flags.no_fair_tree = true;
  if (absl::EqualsIgnoreCase(word, "DEPTH_OBLIVIOUS")) return flags.depth_oblivious = true;
  const bool all = absl::EqualsIgnoreCase(word, "NO_NORMAL_ALL");
  bool known = all;
  for (const FlagName& flag : kFieldFlags) {
    if (absl::EqualsIgnoreCase(word, flag.name) ||
        (all && absl::StartsWith(flag.name, "NO_NORMAL_"))) {
      flags.fields.push_back(flag.field);
      known = true;
    }
  }
  return known;
}

absl::Status ReadFlags(absl::string_view text, PolicyDraft& draft) {
  PriorityFlagSet flags;
  for (absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    if (!AddFlag(word, flags)) {
      return Error(word,
                   "one of ACCRUE_ALWAYS, CALCULATE_RUNNING, DEPTH_OBLIVIOUS, INCR_ONLY, MAX_TRES, "
                   "MAX_TRES_GRES, NO_FAIR_TREE, NO_NORMAL_ALL, NO_NORMAL_ASSOC, NO_NORMAL_PART, "
                   "NO_NORMAL_QOS, NO_NORMAL_TRES, SMALL_RELATIVE_TO_TIME");
    }
  }
  draft.flags = std::move(flags);
  return absl::OkStatus();
}

absl::Status ReadAlgorithm(absl::string_view text, PolicyDraft& draft) {
  static constexpr Word<priority::FairShareAlgorithm> kWords[] = {
      {"fair_tree", priority::FairShareAlgorithm::kFairTree},
      {"classic", priority::FairShareAlgorithm::kClassic},
      {"depth_oblivious", priority::FairShareAlgorithm::kDepthOblivious},
      {"linear", priority::FairShareAlgorithm::kLinear},
  };
  priority::FairShareAlgorithm algorithm = {};
  if (absl::Status status = ReadWord(text, kWords, algorithm); !status.ok()) return status;
  draft.algorithm = algorithm;
  return absl::OkStatus();
}

absl::Status ReadFairTreeTies(absl::string_view text, PolicyDraft& draft) {
  static constexpr Word<priority::FairTreeTies> kWords[] = {
      {"merge", priority::FairTreeTies::kMerge}, {"slurm", priority::FairTreeTies::kSlurm}};
  return ReadWord(text, kWords, draft.policy.fair_tree_ties);
}

absl::Status ReadClock(absl::string_view text, PolicyDraft& draft) {
  static constexpr Word<priority::ClockMode> kWords[] = {{"real", priority::ClockMode::kReal},
                                                         {"manual", priority::ClockMode::kManual}};
  return ReadWord(text, kWords, draft.policy.clock);
}

// Zone names are paths below the zone database; nothing else may be opened.
bool IsZoneName(absl::string_view text) {
  constexpr size_t kMaxZoneName = 64;
  return !text.empty() && text.size() <= kMaxZoneName && text[0] != '/' &&
         !absl::StrContains(text, "..") && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  absl::StrContains("/_+-", absl::string_view(&c, 1));
         });
}

absl::Status ReadTimeZone(absl::string_view text, PolicyDraft& draft) {
  if (!IsZoneName(text) || !absl::LoadTimeZone(text, &draft.policy.time_zone)) {
    return Error(text, "an IANA time zone such as Europe/Berlin");
  }
  return absl::OkStatus();
}

absl::Status ReadSiteFactorPlugin(absl::string_view text, PolicyDraft& draft) {
  if (text.empty() || absl::EqualsIgnoreCase(text, "site_factor/none")) {
    draft.policy.site_factor_plugin.clear();
    return absl::OkStatus();
  }
  const size_t colon = text.rfind(':');
  const bool with_port = colon != absl::string_view::npos && colon > 0 &&
                         ReadInteger(text.substr(colon + 1), 65535).value_or(0) > 0;
  if (!with_port) return Error(text, "host:port of a SiteFactor service");
  draft.policy.site_factor_plugin = std::string(text);
  return absl::OkStatus();
}

absl::Status ReadSiteFactorParameters(absl::string_view text, PolicyDraft& draft) {
  absl::StatusOr<SiteFactorParameters> parameters = ParseSiteFactorParameters(text);
  if (!parameters.ok()) return parameters.status();
  draft.policy.site_factor_parameters = std::move(parameters->for_service);
  draft.policy.site_factor_timeout = parameters->timeout;
  return absl::OkStatus();
}

absl::Status ReadPurgeJobAfter(absl::string_view text, PolicyDraft& draft) {
  const absl::StatusOr<priority::PurgeAge> age = ParsePurgeAge(text);
  if (!age.ok()) return age.status();
  draft.policy.purge_job_after = *age;
  return absl::OkStatus();
}

absl::Status ReadPrivateData(absl::string_view text, PolicyDraft& draft) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ',');
  draft.policy.private_usage = std::any_of(words.begin(), words.end(), [](absl::string_view word) {
    word = absl::StripAsciiWhitespace(word);
    return absl::EqualsIgnoreCase(word, "usage") || absl::EqualsIgnoreCase(word, "all");
  });
  return absl::OkStatus();
}

absl::Status ReadRate(absl::string_view word, absl::string_view value, uint32_t& rate) {
  const std::optional<uint64_t> number = ReadInteger(value, kMaxWeight);
  if (number.value_or(0) == 0) return Error(word, "a whole number of at least 1");
  rate = static_cast<uint32_t>(*number);
  return absl::OkStatus();
}

absl::Status ReadSlurmctldParameters(absl::string_view text, PolicyDraft& draft) {
  priority::Policy& policy = draft.policy;
  policy.rate_limit = false;
  for (absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    absl::string_view value = absl::StripAsciiWhitespace(word);
    absl::Status status;
    if (absl::EqualsIgnoreCase(value, "rl_enable")) policy.rate_limit = true;
    if (absl::ConsumePrefix(&value, "rl_bucket_size=")) {
      status = ReadRate(word, value, policy.rate_limit_bucket_size);
    } else if (absl::ConsumePrefix(&value, "rl_refill_rate=")) {
      status = ReadRate(word, value, policy.rate_limit_refill_rate);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReadPreemptType(absl::string_view text, PolicyDraft& draft) {
  enum class By { kNone, kQos, kPartition };
  static constexpr Word<By> kWords[] = {{"preempt/none", By::kNone},
                                        {"preempt/qos", By::kQos},
                                        {"preempt/partition_prio", By::kPartition}};
  By by = By::kNone;
  if (absl::Status status = ReadWord(text, kWords, by); !status.ok()) return status;
  draft.policy.preempt_by_qos = by == By::kQos;
  draft.policy.preempt_by_partition = by == By::kPartition;
  return absl::OkStatus();
}

absl::Status ReadPreemptMode(absl::string_view text, PolicyDraft& draft) {
  const absl::StatusOr<bool> preemptible = ParsePreemptMode(text);
  if (!preemptible.ok()) return preemptible.status();
  draft.preemptible = *preemptible;
  return absl::OkStatus();
}

struct Parameter {
  absl::string_view name;
  ReadParameter read;
};

constexpr Parameter kParameters[] = {
    {"PriorityType", ReadPriorityType},
    {"PriorityDecayHalfLife", ReadHalfLife},
    {"PriorityCalcPeriod", ReadCalcPeriod},
    {"PriorityUsageResetPeriod", ReadResetPeriod},
    {"PriorityFavorSmall", ReadFavorSmall},
    {"PriorityMaxAge", ReadMaxAge},
    {"PriorityWeightAge", ReadWeight<&priority::Policy::weight_age>},
    {"PriorityWeightAssoc", ReadWeight<&priority::Policy::weight_assoc>},
    {"PriorityWeightFairshare", ReadWeight<&priority::Policy::weight_fair_share>},
    {"PriorityWeightJobSize", ReadWeight<&priority::Policy::weight_job_size>},
    {"PriorityWeightPartition", ReadWeight<&priority::Policy::weight_partition>},
    {"PriorityWeightQOS", ReadWeight<&priority::Policy::weight_qos>},
    {"PriorityWeightTRES", ReadWeightTres},
    {"FairShareDampeningFactor", ReadDampeningFactor},
    {"PriorityFlags", ReadFlags},
    {"PrioritySiteFactorPlugin", ReadSiteFactorPlugin},
    {"PrioritySiteFactorParameters", ReadSiteFactorParameters},
    {"PrivateData", ReadPrivateData},
    {"PurgeJobAfter", ReadPurgeJobAfter},
    {"SlurmctldParameters", ReadSlurmctldParameters},
    {"PreemptType", ReadPreemptType},
    {"PreemptMode", ReadPreemptMode},
    {"FairShareAlgorithm", ReadAlgorithm},
    {"FairTreeTies", ReadFairTreeTies},
    {"TimeZone", ReadTimeZone},
    {"Clock", ReadClock},
};

}  // namespace

absl::StatusOr<bool> ParsePreemptMode(absl::string_view text) {
  static constexpr Word<bool> kWords[] = {{"OFF", false},     {"CANCEL", true},  {"GANG", true},
                                          {"PRIORITY", true}, {"REQUEUE", true}, {"SUSPEND", true},
                                          {"WITHIN", true}};
  bool preemptible = false;
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    bool mode = false;
    if (absl::Status status = ReadWord(absl::StripAsciiWhitespace(word), kWords, mode);
        !status.ok()) {
      return status;
    }
    preemptible = preemptible || mode;
  }
  return preemptible;
}

ReadParameter FindParameter(absl::string_view name) {
  const auto found =
      std::find_if(std::begin(kParameters), std::end(kParameters),
                   [name](const Parameter& p) { return absl::EqualsIgnoreCase(p.name, name); });
  return found == std::end(kParameters) ? nullptr : found->read;
}

}  // namespace priorityd::slurm
