// The cost of a job that uses its whole time limit.
#ifndef PRIORITYD_SERVER_BUDGETS_JOB_COST_H_
#define PRIORITYD_SERVER_BUDGETS_JOB_COST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/budgets/budget.h"
#include "server/budgets/running_usage.h"

namespace priorityd::budgets {

// The part of one budget that a job uses. Units as in Budget.
struct BudgetPart {
  Budget budget;
  double run = 0;  // The most that running jobs may still use.
  double job = 0;  // The most that the job uses, times UsageFactor.

  // The rest when all of them have used their time limits; below 0 = the budget is too small.
  double left_after() const { return budget.limit - budget.used - run - job; }
};

// The cost for one pair of partition and QOS.
struct JobCost {
  priority::AssociationIndex association = priority::kNoAssociation;
  int partition = -1;
  int qos = -1;
  priority::BillingRule rule = priority::BillingRule::kCpu;
  std::vector<priority::BillingTerm> terms;  // Empty if the job itself gives its billing count.
  double billing = 0;                        // Per second, without UsageFactor.
  double usage_factor = 1;
  absl::Duration time_limit;        // Infinite = none; the cost is then that of one hour.
  uint32_t tasks = 1;               // The cost is that of all array tasks.
  double usage = 0;                 // Billing-seconds, times UsageFactor.
  priority::TresMap tres_seconds;   // Without UsageFactor; includes `billing`.
  std::vector<BudgetPart> budgets;  // From its association up to root, then of its QOS.
  double fair_share = 0;            // The current factor of its association.
  // The factor if all of `usage` were charged; in a member of a usage domain unchanged.
  double fair_share_after = 0;
  std::optional<double> level_fs;  // Fair Tree; unset = infinite.
  std::optional<double> level_fs_after;
};

// One cost for each pair of the job, in its order. If there is none, `*why` is the reason.
std::vector<JobCost> CostsOf(const priority::Snapshot& snapshot, const priority::Job& job,
                             const RunningUsage& running, priority::Reason* why);

// The cost in sentences; those on budgets and fair-share only `with_shares`.
std::vector<std::string> SentencesOf(const priority::Snapshot& snapshot, const JobCost& cost,
                                     bool with_shares);

// An amount of a budget as text: `12000 billing-minutes`.
std::string AmountText(const std::string& tres, double seconds);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_JOB_COST_H_
