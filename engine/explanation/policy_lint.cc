#include "engine/explanation/policy_lint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/explanation/grant_lint.h"
#include "engine/explanation/overtaken_row.h"
#include "engine/explanation/time_text.h"
#include "engine/priority/site/capacity.h"

namespace priorityd::explanation {
namespace {

std::string WeightParameter(absl::string_view factor) {
  if (factor == "age") return "PriorityWeightAge";
  if (factor == "assoc") return "PriorityWeightAssoc";
  if (factor == "fair_share") return "PriorityWeightFairshare";
  if (factor == "job_size") return "PriorityWeightJobSize";
  if (factor == "partition") return "PriorityWeightPartition";
  if (factor == "qos") return "PriorityWeightQOS";
  return "PriorityWeightTRES";
}

std::string PairText(const OvertakenRow& pair) {
  return absl::StrFormat(
      " Job %s gets %.0f points from the other factors and job %s %.0f, yet job %s starts first, "
      "because it has waited %s longer.",
      pair.job_id, pair.others, pair.ahead_job_id, pair.ahead_others, pair.ahead_job_id,
      DurationText(pair.longer));
}

class Linter {
 public:
  Linter(const priority::Snapshot& snapshot, const FactorRanges& factors,
         absl::Span<const priority::Job> jobs, absl::Time as_of)
      : snapshot_(snapshot),
        policy_(snapshot.policy()),
        factors_(factors),
        jobs_(jobs),
        as_of_(as_of),
        possible_(PossibleRanges(snapshot)) {}

  std::vector<PolicyFinding> Run() && {
    const bool weighted =
        absl::c_any_of(possible_, [](const FactorRange& range) { return range.weight != 0; });
    CheckHeadroom();
    if (policy_.priority_type == priority::PriorityType::kBasic) {
      if (weighted) {
        Add("PRIORITY_BASIC", "PriorityType",
            "PriorityType=priority/basic: jobs start in the order of submission, weights have no "
            "effect.");
      }
      return std::move(findings_);
    }
    if (!weighted) {
      Add("NO_WEIGHT", "PriorityWeightFairshare",
          "No weight is set: jobs have priority 1, except for site factors and nice values, and "
          "start in the order of submission.");
    }
    CheckFairShareWeight();
    CheckDecay();
    for (const FactorRange& range : possible_) CheckRange(range);
    CheckAge();
    CheckFirstCome();
    CheckOverflow();
    CheckIgnored();
    return std::move(findings_);
  }

 private:
  void Add(absl::string_view code, std::string parameter, std::string message) {
    findings_.push_back({code, std::move(parameter), std::move(message)});
  }

  void CheckHeadroom();
  void CheckFairShareWeight();
  void CheckDecay();
  void CheckRange(const FactorRange& range);
  std::string WhyConstant(const FactorRange& range) const;
  void CheckAge();
  void CheckFirstCome();
  void CheckOverflow();
  void CheckIgnored();

  const priority::Snapshot& snapshot_;
  const priority::Policy& policy_;
  const FactorRanges& factors_;
  const absl::Span<const priority::Job> jobs_;
  const absl::Time as_of_;
  std::vector<FactorRange> possible_;
  std::vector<PolicyFinding> findings_;
};

void Linter::CheckHeadroom() {
  if (std::isinf(policy_.usage_headroom)) return;
  const std::string unknown =
      priority::CapacityOf(policy_, snapshot_.cluster(), snapshot_.partitions()).unknown;
  if (unknown.empty()) return;
  Add("USAGE_UNBOUNDED", "UsageHeadroom",
      absl::StrCat("No total of ", unknown,
                   " is known, but it has a price: UsageHeadroom bounds neither its usage in "
                   "records nor their billing. NodeName lines of the policy or UpdateCluster set "
                   "the total."));
}

void Linter::CheckFairShareWeight() {
  const uint32_t weight = policy_.weight_fair_share;
  const int users = snapshot_.tree().user_count();
  if (policy_.algorithm != priority::FairShareAlgorithm::kFairTree || weight == 0) return;
  if (weight >= static_cast<uint32_t>(users)) return;
  Add("FAIRSHARE_WEIGHT_SMALL", "PriorityWeightFairshare",
      absl::StrFormat(
          "PriorityWeightFairshare is %d, fewer points than there are user associations "
          "(%d): neighbouring places in the fair tree then have equal priorities. A weight "
          "of at least %d separates them all.",
          weight, users, users));
}

void Linter::CheckDecay() {
  if (policy_.decays() || policy_.reset_period != priority::ResetPeriod::kNone) return;
  Add("USAGE_COUNTS_FOR_EVER", "PriorityDecayHalfLife",
      "PriorityDecayHalfLife is 0 and PriorityUsageResetPeriod is NONE: usage never decays and is "
      "never reset.");
}

std::string Linter::WhyConstant(const FactorRange& range) const {
  const auto all = [](size_t count, absl::string_view one, absl::string_view many,
                      absl::string_view figure) {
    if (count == 0) return absl::StrCat("there is no ", one);
    if (count == 1) return absl::StrCat("there is one ", one, " only");
    return absl::StrCat("all ", count, " ", many, " have the same ", figure);
  };
  const size_t users = static_cast<size_t>(snapshot_.tree().user_count());
  if (range.name == "age") return "with PriorityMaxAge=UNLIMITED age never grows";
  if (range.name == "assoc") return all(users, "user association", "user associations", "priority");
  if (range.name == "fair_share") {
    return all(users, "user association", "user associations", "fair-share factor at present");
  }
  if (range.name == "job_size") return "the cluster's nodes or CPUs are not known";
  if (range.name == "partition") {
    return all(snapshot_.partitions().size(), "partition", "partitions", "PriorityJobFactor");
  }
  if (range.name == "qos") return all(snapshot_.qos().size(), "QOS", "QOS", "priority");
  return "no partition has any of it";
}

void Linter::CheckRange(const FactorRange& range) {
  if (range.weight == 0) return;
  const std::string parameter = WeightParameter(range.name);
  const std::string weight = absl::StrFormat(
      "%s is %.10g%s", parameter, range.weight,
      absl::StartsWith(range.name, "tres/")
          ? absl::StrCat(" for ", range.name.substr(absl::string_view("tres/").size()))
          : "");
  if (range.range() == 0) {
    Add("WEIGHT_WITHOUT_EFFECT", parameter,
        absl::StrCat(weight, ", but ", WhyConstant(range),
                     ", so it makes no difference between jobs."));
  } else if (range.range() < 1 && range.name != "fair_share") {
    Add("BELOW_ONE_POINT", parameter,
        absl::StrFormat("%s: it makes a difference of at most %.2g points, which is lost when "
                        "priorities are truncated to integers.",
                        weight, range.range()));
  }
}

void Linter::CheckAge() {
  constexpr double kFar = 0.1;
  if (factors_.rows == 0 || policy_.weight_age == 0) return;
  if (policy_.max_age <= absl::ZeroDuration() || policy_.max_age >= priority::kUnlimitedAge) return;
  const FactorRange& age = factors_.ranges.front();
  if (age.highest_factor >= kFar) return;
  Add("AGE_FAR_FROM_FULL", "PriorityMaxAge",
      absl::StrFormat("PriorityMaxAge is %s, but the longest wait in the queue is %s: age gives at "
                      "most %.0f of its %d points.",
                      DurationText(policy_.max_age),
                      DurationText(age.highest_factor * policy_.max_age), age.highest_contribution,
                      policy_.weight_age));
}

// If the range of age is ten times that of all others together, a tenth of PriorityMaxAge decides.
void Linter::CheckFirstCome() {
  constexpr double kFarApart = 10;
  if (policy_.max_age <= absl::ZeroDuration() || policy_.max_age >= priority::kUnlimitedAge) return;
  double others = 0;
  for (const FactorRange& range : possible_) {
    if (range.name != "age") others += range.range();
  }
  const double ratio = others == 0 ? 0 : policy_.weight_age / others;
  if (ratio < kFarApart) return;
  const std::optional<OvertakenRow> pair = FindOvertakenByAge(snapshot_, jobs_, as_of_);
  Add("FIRST_COME_FIRST_SERVED", "PriorityWeightAge",
      absl::StrFormat(
          "PriorityWeightAge is %d, %.3g times the %.10g points by which all other factors "
          "together can differ: a job that was submitted %s earlier starts first, whatever its "
          "fair-share and QOS, so the queue is first come, first served.%s",
          policy_.weight_age, ratio, others, DurationText(policy_.max_age / ratio),
          pair.has_value() ? PairText(*pair) : ""));
}

void Linter::CheckOverflow() {
  constexpr double kLargest = std::numeric_limits<uint32_t>::max();
  double sum = 0;
  for (const FactorRange& range : possible_) sum += std::max(0.0, range.highest_contribution);
  if (sum <= kLargest) return;
  Add("PRIORITY_OVERFLOW", "PriorityType",
      absl::StrFormat(
          "The factors can add up to %.0f, but the largest priority is 4294967295: jobs "
          "above it are ordered by submission only.",
          sum));
}

void Linter::CheckIgnored() {
  const bool damped = policy_.algorithm == priority::FairShareAlgorithm::kClassic ||
                      policy_.algorithm == priority::FairShareAlgorithm::kDepthOblivious;
  if (policy_.dampening_factor != 1 && !damped) {
    Add("IGNORED_PARAMETER", "FairShareDampeningFactor",
        absl::StrFormat("FairShareDampeningFactor is %g, but only classic and depth_oblivious read "
                        "it; FairShareAlgorithm is %s.",
                        policy_.dampening_factor,
                        priority::FairShareAlgorithmName(policy_.algorithm)));
  }
  if (policy_.favor_small && policy_.weight_job_size == 0) {
    Add("IGNORED_PARAMETER", "PriorityFavorSmall",
        "PriorityFavorSmall is YES, but PriorityWeightJobSize is 0.");
  }
  const bool preempts = policy_.preempt_by_qos || policy_.preempt_by_partition;
  if (policy_.preempt_exempt_time > absl::ZeroDuration() && !preempts) {
    Add("IGNORED_PARAMETER", "PreemptExemptTime",
        "PreemptExemptTime is set, but with PreemptType=preempt/none no job is preempted.");
  }
}

}  // namespace

PolicyLint LintPolicy(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                      absl::Time as_of) {
  PolicyLint lint;
  lint.factors = RangesOnQueue(snapshot, jobs, as_of);
  lint.findings = Linter(snapshot, lint.factors, jobs, as_of).Run();
  for (PolicyFinding& finding : LintGrants(snapshot, jobs, as_of)) {
    lint.findings.push_back(std::move(finding));
  }
  return lint;
}

}  // namespace priorityd::explanation
