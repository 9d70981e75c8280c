#include "engine/priority/site/policy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace priorityd::priority {
namespace {

std::string IntervalName(absl::Duration interval) {
  const int64_t seconds = absl::ToInt64Seconds(interval);
  return absl::StrFormat("%d-%02d:%02d:%02d", seconds / 86400, seconds / 3600 % 24,
                         seconds / 60 % 60, seconds % 60);
}

}  // namespace

std::vector<std::string> PriorityFlagNames(const Policy& policy) {
  const struct {
    bool set;
    const char* name;
  } flags[] = {
      {policy.accrue_always, "ACCRUE_ALWAYS"},
      {policy.calculate_running, "CALCULATE_RUNNING"},
      {policy.algorithm == FairShareAlgorithm::kDepthOblivious, "DEPTH_OBLIVIOUS"},
      {policy.incr_only, "INCR_ONLY"},
      {policy.max_tres, "MAX_TRES"},
      {policy.max_tres_gres, "MAX_TRES_GRES"},
      {policy.algorithm == FairShareAlgorithm::kClassic, "NO_FAIR_TREE"},
      {policy.no_normal_assoc, "NO_NORMAL_ASSOC"},
      {policy.no_normal_part, "NO_NORMAL_PART"},
      {policy.no_normal_qos, "NO_NORMAL_QOS"},
      {policy.no_normal_tres, "NO_NORMAL_TRES"},
      {policy.small_relative_to_time, "SMALL_RELATIVE_TO_TIME"},
  };
  std::vector<std::string> names;
  for (const auto& flag : flags) {
    if (flag.set) names.push_back(flag.name);
  }
  return names;
}

absl::string_view FairShareAlgorithmName(FairShareAlgorithm algorithm) {
  switch (algorithm) {
    case FairShareAlgorithm::kFairTree:
      return "fair_tree";
    case FairShareAlgorithm::kClassic:
      return "classic";
    case FairShareAlgorithm::kDepthOblivious:
      return "depth_oblivious";
    case FairShareAlgorithm::kLinear:
      return "linear";
  }
  return "";
}

absl::string_view FairTreeTiesName(FairTreeTies ties) {
  return ties == FairTreeTies::kMerge ? "merge" : "slurm";
}

std::string ResetPeriodName(const Policy& policy) {
  switch (policy.reset_period) {
    case ResetPeriod::kNone:
      return "NONE";
    case ResetPeriod::kNow:
      return "NOW";
    case ResetPeriod::kDaily:
      return "DAILY";
    case ResetPeriod::kWeekly:
      return "WEEKLY";
    case ResetPeriod::kMonthly:
      return "MONTHLY";
    case ResetPeriod::kQuarterly:
      return "QUARTERLY";
    case ResetPeriod::kYearly:
      return "YEARLY";
    case ResetPeriod::kInterval:
      return IntervalName(policy.reset_interval);
  }
  return "";
}

std::string PurgeAgeName(const PurgeAge& age) {
  if (age.count == 0) return "INFINITE";
  switch (age.unit) {
    case PurgeAge::Unit::kHours:
      return absl::StrCat(age.count, "hours");
    case PurgeAge::Unit::kDays:
      return absl::StrCat(age.count, "days");
    case PurgeAge::Unit::kMonths:
      return absl::StrCat(age.count, "months");
  }
  return "";
}

}  // namespace priorityd::priority
