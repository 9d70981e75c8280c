// The most that running jobs may still use of grants.
#ifndef PRIORITYD_SERVER_BUDGETS_GRANT_RUNNING_H_
#define PRIORITYD_SERVER_BUDGETS_GRANT_RUNNING_H_

#include <utility>

#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/site/grant_standing.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/budgets/running_money.h"
#include "server/budgets/running_usage.h"

namespace priorityd::budgets {

// Of one cluster. Thread-compatible.
class GrantRunning {
 public:
  // `running`: of the cluster's jobs; see RunningUsage::OfAssociation. Both must outlive this.
  GrantRunning(const priority::Snapshot& snapshot, const RunningUsage& running,
               grants::PriceBooks books = {})
      : snapshot_(snapshot),
        running_(running),
        money_(running, std::move(books)),
        owners_(snapshot.tree()) {}

  // The most that the running jobs of the owner may still use of the grant's TRES, or of its sum of
  // TRES by weights: TRES-seconds, times UsageFactor; of a price book as MoneyOf. Of the grant its
  // accounts, user and TRES count. Accounts and users that do not exist have no jobs.
  double SecondsOf(const priority::GrantStanding& grant);
  // The most that they may still cost, by the book of the grant.
  grants::Amount MoneyOf(const priority::GrantStanding& grant);

 private:
  const priority::Snapshot& snapshot_;
  const RunningUsage& running_;
  RunningMoney money_;
  priority::GrantOwners owners_;
};

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_GRANT_RUNNING_H_
