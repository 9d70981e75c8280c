// What a job costs if it takes all its time.
#ifndef PRIORITYD_SERVER_BUDGETS_JOB_COST_H_
#define PRIORITYD_SERVER_BUDGETS_JOB_COST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/budgets/budget.h"
#include "server/budgets/running_usage.h"
#include "server/priority/billing.h"
#include "server/priority/job.h"
#include "server/priority/reason.h"
#include "server/priority/snapshot.h"
#include "server/priority/tres.h"

namespace priorityd::budgets {

// What it takes of one budget. Amounts as in Budget.
struct BudgetPart {
  Budget budget;
  double run = 0;  // What running jobs may still use.
  double job = 0;  // What the job takes at most, UsageFactor included.

  // Once they all have used their time; below 0 = too little.
  double left_after() const { return budget.limit - budget.used - run - job; }
};

// Of one pair of partition and QOS.
struct JobCost {
  priority::AssociationIndex association = priority::kNoAssociation;
  int partition = -1;
  int qos = -1;
  priority::BillingRule rule = priority::BillingRule::kCpu;
  std::vector<priority::BillingTerm> terms;  // Empty where the job says what it is billed.
  double billing = 0;                        // A second, before UsageFactor.
  double usage_factor = 1;
  absl::Duration time_limit;        // Infinite = none, and it is the cost of an hour.
  uint32_t tasks = 1;               // It is the cost of all of them.
  double usage = 0;                 // Billing-seconds, UsageFactor included.
  priority::TresMap tres_seconds;   // Without UsageFactor; `billing` among them.
  std::vector<BudgetPart> budgets;  // From its association up, then of its QOS.
  double fair_share = 0;            // Its association's, now.
  double fair_share_after = 0;      // Had all of `usage` been charged.
  std::optional<double> level_fs;   // Fair Tree; unset = infinite.
  std::optional<double> level_fs_after;
};

// Of each pair that the job names, in its order; of none, `why` says why.
std::vector<JobCost> CostsOf(const priority::Snapshot& snapshot, const priority::Job& job,
                             const RunningUsage& running, priority::Reason* why);

// In plain sentences; those about budgets and fair-share `with_shares` only.
std::vector<std::string> SentencesOf(const priority::Snapshot& snapshot, const JobCost& cost,
                                     bool with_shares);

// `12000 billing-minutes`; of an amount of a budget.
std::string AmountText(const std::string& tres, double seconds);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_JOB_COST_H_
