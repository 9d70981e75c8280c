#include "server/budgets/job_cost.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "engine/numbers/number_text.h"
#include "engine/priority/fair_share/fair_share.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_table.h"

namespace priorityd::budgets {
namespace {

using numbers::NumberText;
using priority::AssociationIndex;
using priority::Snapshot;

void Price(const Snapshot& snapshot, const priority::Job& job, JobCost* cost) {
  priority::TresMap tres;
  priority::FillTres(job, tres, snapshot.job_defaults(cost->partition));
  cost->rule = snapshot.billing_rule(cost->partition);
  if (const auto given = priority::GivenBilling(job)) {
    cost->billing = *given;
  } else {
    static const priority::TresMap* const none = new priority::TresMap;
    cost->billing = priority::Billing(
        cost->rule,
        cost->partition < 0 ? *none : snapshot.partitions()[cost->partition].billing_weights, tres,
        &cost->terms);
  }
  tres["billing"] = cost->billing;
  const double seconds =
      (cost->time_limit == absl::InfiniteDuration() ? 3600.0
                                                    : absl::ToDoubleSeconds(cost->time_limit)) *
      cost->tasks;
  for (const auto& [name, count] : tres) {
    if (count != 0) cost->tres_seconds[name] = count * seconds;
  }
  cost->usage_factor = cost->qos < 0 ? 1 : snapshot.qos()[cost->qos].usage_factor;
  cost->usage = cost->billing * seconds * cost->usage_factor;
}

double JobsPart(const JobCost& cost, const Budget& budget) {
  if (!budget.tres.empty()) {
    const auto found = cost.tres_seconds.find(budget.tres);
    return found == cost.tres_seconds.end() ? 0 : found->second * cost.usage_factor;
  }
  const absl::Duration time =
      cost.time_limit == absl::InfiniteDuration() ? absl::Hours(1) : cost.time_limit;
  return absl::ToDoubleSeconds(time) * cost.tasks * cost.usage_factor;
}

void FillBudgets(const Snapshot& snapshot, const RunningUsage& running, JobCost* cost) {
  const auto add = [&](std::vector<Budget> budgets) {
    for (Budget& budget : budgets) {
      const double run = running.RunSeconds(snapshot, budget);
      const double job = JobsPart(*cost, budget);
      cost->budgets.push_back({std::move(budget), run, job});
    }
  };
  for (AssociationIndex i = cost->association; i != priority::kNoAssociation;
       i = snapshot.tree().parent()[i]) {
    add(BudgetsOfAssociation(snapshot, i));
  }
  if (cost->qos >= 0) add(BudgetsOfQos(snapshot, cost->qos));
}

std::optional<double> LevelFsOf(const priority::FairShare& shares, AssociationIndex i) {
  if (shares.level_fs.empty() || std::isinf(shares.level_fs[i])) return std::nullopt;
  return shares.level_fs[i];
}

void FillFairShare(const Snapshot& snapshot, JobCost* cost) {
  std::vector<double> own = snapshot.own_usage();
  own.resize(snapshot.tree().size());
  own[cost->association] += cost->usage;
  const priority::FairShare after = priority::ComputeFairShare(
      snapshot.tree(), snapshot.policy(), std::move(own), snapshot.linear_capacity());
  cost->fair_share = snapshot.fair_share().fair_share[cost->association];
  // The domain's tree, which another recalculation has, is not at hand.
  cost->fair_share_after =
      snapshot.domain() != nullptr ? cost->fair_share : after.fair_share[cost->association];
  cost->level_fs = LevelFsOf(snapshot.fair_share(), cost->association);
  cost->level_fs_after = LevelFsOf(after, cost->association);
}

std::string OwnerOf(const Snapshot& snapshot, const Budget& budget) {
  if (budget.of_qos()) return absl::StrCat("QOS ", snapshot.qos()[budget.qos].name);
  const absl::string_view user = snapshot.tree().user(budget.association);
  const absl::string_view account = snapshot.tree().account(budget.association);
  return user.empty() ? absl::StrCat("account ", account)
                      : absl::StrCat(user, " in account ", account);
}

std::string BudgetSentence(const Snapshot& snapshot, const BudgetPart& part) {
  const Budget& budget = part.budget;
  const double percent = budget.limit > 0 ? part.job / budget.limit * 100 : 0;
  const std::string text = absl::StrFormat(
      "It takes %s of the %s of %s, %.4g %%: %s are used, running jobs may use %s.",
      NumberText(part.job / 60), AmountText(budget.tres, budget.limit), OwnerOf(snapshot, budget),
      percent, NumberText(budget.used / 60), NumberText(part.run / 60));
  if (part.left_after() >= -1e-9 * budget.limit) {
    return absl::StrCat(text, " Then ", NumberText(std::max(0.0, part.left_after()) / 60),
                        " are left.");
  }
  return absl::StrCat(text, " That is ", NumberText(-part.left_after() / 60), " too many.");
}

}  // namespace

std::string AmountText(const std::string& tres, double seconds) {
  return absl::StrCat(NumberText(seconds / 60), " ", tres.empty() ? "" : absl::StrCat(tres, "-"),
                      "minutes");
}

std::vector<JobCost> CostsOf(const Snapshot& snapshot, const priority::Job& job,
                             const RunningUsage& running, priority::Reason* why) {
  const priority::FactorScale scale(snapshot);
  const priority::JobTable table =
      priority::BuildJobTable(scale, absl::MakeConstSpan(&job, 1), snapshot.computed_at());
  *why = table.unresolved.front();
  std::vector<JobCost> costs;
  for (size_t row = 0; row < table.rows(); ++row) {
    JobCost cost;
    cost.association = table.association.front();
    cost.partition = table.partition[row];
    cost.qos = table.qos[row];
    cost.tasks = job.array_tasks;
    cost.time_limit = TimeLimitOf(snapshot, job, cost.association, cost.partition, cost.qos);
    Price(snapshot, job, &cost);
    FillBudgets(snapshot, running, &cost);
    FillFairShare(snapshot, &cost);
    costs.push_back(std::move(cost));
  }
  return costs;
}

std::vector<std::string> SentencesOf(const Snapshot& snapshot, const JobCost& cost,
                                     bool with_shares) {
  std::vector<std::string> sentences;
  const bool unlimited = cost.time_limit == absl::InfiniteDuration();
  const double hours = unlimited ? 1 : absl::ToDoubleHours(cost.time_limit);
  sentences.push_back(absl::StrCat(
      unlimited ? "It has no time limit: each hour costs " : "It costs at most ",
      NumberText(cost.usage / 3600), " billing-hours: ", NumberText(cost.billing),
      " billing TRES for ", NumberText(hours), " h",
      cost.tasks == 1 ? "" : absl::StrCat(", ", cost.tasks, " tasks"),
      cost.usage_factor == 1 ? "" : absl::StrCat(", times UsageFactor ", cost.usage_factor), "."));
  if (!with_shares) return sentences;
  for (const BudgetPart& part : cost.budgets) {
    sentences.push_back(BudgetSentence(snapshot, part));
  }
  sentences.push_back(
      absl::StrFormat("When it is charged, the fair-share factor changes from %.4f to "
                      "%.4f.",
                      cost.fair_share, cost.fair_share_after));
  return sentences;
}

}  // namespace priorityd::budgets
