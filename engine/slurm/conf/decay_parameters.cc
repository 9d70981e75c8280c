#include "engine/slurm/conf/decay_parameters.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/slurm/conf/parameter_words.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm {

absl::Status ReadHalfLife(absl::string_view value, absl::string_view, PolicyDraft& draft) {
  const absl::StatusOr<absl::Duration> half_life = ParseMinutes(value);
  if (!half_life.ok()) return half_life.status();
  draft.policy.half_life =
      *half_life == absl::ZeroDuration() ? absl::InfiniteDuration() : *half_life;
  return absl::OkStatus();
}

std::string WriteHalfLife(const priority::Policy& policy) {
  return policy.decays() ? FormatTimeString(policy.half_life) : "0";
}

absl::Status ReadCalcPeriod(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  const absl::StatusOr<absl::Duration> period = ParseMinutes(value);
  if (!period.ok()) return period.status();
  if (*period < absl::Minutes(1) || *period == absl::InfiniteDuration()) {
    return Unexpected(value, want);
  }
  draft.policy.calc_period = *period;
  return absl::OkStatus();
}

std::string WriteCalcPeriod(const priority::Policy& policy) {
  return FormatTimeString(policy.calc_period);
}

absl::Status ReadResetPeriod(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
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
  if (ReadWord(value, kWords, draft.policy.reset_period)) return absl::OkStatus();
  const absl::StatusOr<absl::Duration> interval = ParseTimeString(value);
  if (!interval.ok() || *interval == absl::ZeroDuration() ||
      *interval == absl::InfiniteDuration()) {
    return Unexpected(value, want);
  }
  draft.policy.reset_period = priority::ResetPeriod::kInterval;
  draft.policy.reset_interval = *interval;
  return absl::OkStatus();
}

absl::Status ReadMaxAge(absl::string_view value, absl::string_view, PolicyDraft& draft) {
  const absl::StatusOr<absl::Duration> max_age = ParseMinutes(value);
  if (!max_age.ok()) return max_age.status();
  draft.policy.max_age = std::min(*max_age, priority::kUnlimitedAge);
  return absl::OkStatus();
}

std::string WriteMaxAge(const priority::Policy& policy) {
  return policy.max_age >= priority::kUnlimitedAge ? "UNLIMITED" : FormatTimeString(policy.max_age);
}

absl::Status ReadMinJobAge(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  const auto seconds = ReadConfInteger(value, std::numeric_limits<uint32_t>::max());
  if (!seconds.has_value()) return Unexpected(value, want);
  draft.policy.min_job_age = *seconds == 0
                                 ? priority::kMaxJobAge
                                 : std::min(absl::Seconds(*seconds), priority::kMaxJobAge);
  return absl::OkStatus();
}

std::string WriteMinJobAge(const priority::Policy& policy) {
  return absl::StrCat(absl::ToInt64Seconds(policy.min_job_age));
}

}  // namespace priorityd::slurm
