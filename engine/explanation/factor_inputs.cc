#include "engine/explanation/factor_inputs.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/explanation/grant_text.h"
#include "engine/explanation/time_text.h"
#include "engine/numbers/number_text.h"
#include "engine/numbers/whole_number.h"
#include "engine/priority/jobs/eligibility.h"
#include "engine/priority/jobs/job_demand.h"

namespace priorityd::explanation {
namespace {

using numbers::NumberText;

std::string OfAtMost(absl::string_view what, uint32_t value, uint32_t largest, bool raw) {
  if (raw) return absl::StrCat(what, " ", value, ", taken as it is");
  return absl::StrCat(what, " ", value, " of at most ", largest);
}

// The word for a figure above, at or below the one that is due.
absl::string_view Served(double figure, double due) {
  constexpr double kEqual = 1e-9;
  if (std::abs(figure - due) <= kEqual) return "served its due";
  return figure > due ? "under-served" : "over-served";
}

std::string LevelFsText(const priority::AssociationTree& tree, const priority::FairShare& shares,
                        priority::AssociationIndex association) {
  const std::string level_fs =
      absl::StrCat("so its LevelFS is ", LevelFsFigure(shares.level_fs[association]));
  if (tree.parent_shares(association)) {
    return absl::StrCat("has the shares of its account (parent), ", level_fs);
  }
  if (std::isinf(shares.level_fs[association])) {
    return absl::StrCat("has used nothing, ", level_fs);
  }
  return absl::StrFormat("has used %.1f%% of %s's usage and is due %.1f%%, %s",
                         100 * shares.effective_usage[association],
                         AssociationText(tree, tree.fair_share_parent()[association]),
                         100 * tree.level_norm_shares()[association], level_fs);
}

// F = 2^(-usage/shares/damping).
std::string DampingText(double damping) {
  if (damping == 1) return "";
  return absl::StrFormat(
      ", damped: with FairShareDampeningFactor %g usage counts as if it were divided by %g, and F "
      "is %.2f for what is due",
      damping, damping, std::exp2(-1 / damping));
}

// The usage that running jobs of an association reserve; empty = none.
std::string ReserveText(const priority::Snapshot& snapshot,
                        priority::AssociationIndex association) {
  const double reserve = snapshot.reserve(association);
  if (reserve <= 0) return "";
  const double usage = snapshot.fair_share().usage[association];
  return absl::StrFormat("; running jobs reserve %.1f%% of its usage, %.0f of %.0f billing-seconds",
                         100 * reserve / usage, reserve, usage);
}

std::string FairTreeText(const priority::Snapshot& snapshot,
                         priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  const priority::FairShare& shares = snapshot.fair_share();
  const double users = tree.user_count();
  const double place = users - std::round(shares.fair_share[association] * users) + 1;
  return absl::StrFormat("%s %s; place %.0f of %.0f in the fair tree",
                         AssociationText(tree, association), LevelFsText(tree, shares, association),
                         place, users);
}

std::string DomainText(const priority::Snapshot& snapshot, priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  const priority::DomainShares& domain = *snapshot.domain();
  const std::string whose = AssociationText(tree, association);
  const auto found = domain.Find(tree.account(association), tree.user(association));
  if (!found.has_value()) {
    return absl::StrCat("the usage domain ", domain.domain(), " has no association ", whose,
                        ", so F is 0");
  }
  return absl::StrFormat("F of %s in the usage domain %s is %.2f, as of its snapshot %d", whose,
                         domain.domain(), *found, domain.generation());
}

}  // namespace

std::string LevelFsFigure(double level_fs) {
  if (std::isinf(level_fs)) return "infinite (under-served)";
  return absl::StrFormat("%.2f (%s)", level_fs, Served(level_fs, 1));
}

std::string AssociationText(const priority::AssociationTree& tree,
                            priority::AssociationIndex association) {
  std::string text(tree.account(association));
  if (tree.is_user(association)) absl::StrAppend(&text, "/", tree.user(association));
  if (!tree.partition(association).empty()) {
    absl::StrAppend(&text, "/", tree.partition(association));
  }
  return text;
}

std::string FactorInputs::Age() const {
  const priority::JobTable& table = queue_.table();
  const bool begun =
      queue_.policy().accrue_always || queue_.ReasonOf(row_) != priority::Reason::kBeginTime;
  if (table.accrue_us[row_] == priority::JobTable::kNever || !begun) return StandingAge();
  if ((table.flags[row_] & priority::JobTable::kNoAccrual) != 0) {
    return "waits behind other jobs: MaxJobsAccrue or GrpJobsAccrue is reached";
  }
  const absl::Time accrue = absl::FromUnixMicros(numbers::WholePart(table.accrue_us[row_]));
  const absl::Duration waited = std::max(absl::ZeroDuration(), queue_.as_of() - accrue);
  if (job().state != priority::JobState::kPending) {
    return absl::StrCat("runs; its age counts from ", TimeLimitText(waited), " ago");
  }
  return absl::StrCat("waited ", TimeLimitText(waited),
                      waited > queue_.policy().max_age ? ", more than the " : " of ",
                      TimeLimitText(queue_.policy().max_age),
                      waited > queue_.policy().max_age ? " that count" : "");
}

std::string FactorInputs::StandingAge() const {
  const bool by_limit = priority::Eligibility::OfJob(job()) == priority::Reason::kNone &&
                        queue_.table().accrue_us[row_] == priority::JobTable::kNever;
  std::string text = by_limit ? "does not accrue age while it is over a limit on nodes or time"
                              : "does not accrue age while it cannot start";
  if (job().accrual_stopped.has_value() && job().accrue_time.has_value()) {
    const absl::Duration accrued = *job().accrual_stopped - *job().accrue_time;
    absl::StrAppend(&text, "; it keeps the ", TimeLimitText(accrued), " accrued so far");
  }
  return text;
}

std::string FactorInputs::Assoc() const {
  const priority::AssociationTree& tree = queue_.snapshot().tree();
  return OfAtMost("association priority", tree.effective_priority()[association()],
                  tree.max_priority(), queue_.policy().no_normal_assoc);
}

std::string FactorInputs::FairShare() const {
  const priority::Snapshot& snapshot = queue_.snapshot();
  if (snapshot.domain() != nullptr) return DomainText(snapshot, association());
  if (snapshot.policy().algorithm == priority::FairShareAlgorithm::kFairTree) {
    return FairTreeText(snapshot, association()) + ReserveText(snapshot, association());
  }
  const auto& shares = snapshot.fair_share();
  const double damping = snapshot.policy().dampening_factor;
  return absl::StrFormat(
             "%s has an effective usage of %.1f%% and is due %.1f%%, so F is %.2f (%s)%s",
             AssociationText(snapshot.tree(), association()),
             100 * shares.effective_usage[association()],
             100 * snapshot.tree().path_norm_shares()[association()],
             shares.fair_share[association()],
             Served(shares.fair_share[association()], std::exp2(-1 / damping)),
             DampingText(damping)) +
         ReserveText(snapshot, association());
}

std::string FactorInputs::JobSize() const {
  const priority::Policy& policy = queue_.policy();
  const priority::Cluster& cluster = queue_.snapshot().cluster();
  std::string text = absl::StrCat(NumberText(priority::NodesOf(job())), " of ",
                                  NumberText(cluster.nodes), " nodes");
  const priority::JobTable& table = queue_.table();
  const uint32_t first_row = table.first_row[table.job[row_]];
  const double cpus =
      priority::CpusOf(job(), queue_.snapshot().job_defaults(table.partition[first_row]));
  if (cpus > 0) {
    absl::StrAppend(&text, ", ", NumberText(cpus), " of ", NumberText(cluster.cpus), " CPUs");
  }
  if (policy.small_relative_to_time) {
    absl::StrAppend(
        &text, ", over the time limit ",
        job().time_limit.has_value() ? TimeLimitText(*job().time_limit) : "of its partitions");
  }
  if (policy.favor_small) absl::StrAppend(&text, ", small jobs are favoured");
  return text;
}

std::string FactorInputs::Partition() const {
  const int partition = queue_.table().partition[row_];
  if (partition < 0) return "no partition";
  return OfAtMost("PriorityJobFactor",
                  queue_.snapshot().partitions()[partition].priority_job_factor,
                  queue_.snapshot().max_partition_factor(), queue_.policy().no_normal_part);
}

std::string FactorInputs::Qos() const {
  const int qos = queue_.table().qos[row_];
  if (qos < 0) return "no QOS";
  const priority::Snapshot& snapshot = queue_.snapshot();
  const int counted = queue_.table().FactorQos()[row_];
  const std::string priority =
      OfAtMost("QOS priority", counted < 0 ? 0 : snapshot.qos()[counted].priority,
               snapshot.max_qos_priority(), queue_.policy().no_normal_qos);
  if (counted == qos) return priority;
  return absl::StrCat(priority, "; ", DemotionText(snapshot, association(), qos));
}

std::string FactorInputs::Tres(size_t i) const {
  const priority::FactorScale& scale = queue_.scale();
  const int partition = queue_.table().partition[row_];
  const priority::JobDefaults& defaults = queue_.snapshot().job_defaults(partition);
  const double count = scale.tres_name(i) == "billing"
                           ? priority::JobBilling(queue_.snapshot()).Count(job(), partition)
                           : priority::TresCountOf(job(), scale.tres_name(i), defaults);
  const bool by_default =
      scale.tres_name(i) == "mem" && defaults.given() && priority::TakesDefaultMemory(job());
  const absl::string_view source = by_default ? ", the default memory" : "";
  if (queue_.policy().no_normal_tres) {
    return absl::StrCat(NumberText(count), ", taken as it is", source);
  }
  return absl::StrCat(NumberText(count), " of ", NumberText(scale.TresTotal(i, partition)), source);
}

}  // namespace priorityd::explanation
