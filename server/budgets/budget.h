// Limits on usage, and what is left of them: GrpTRESMins and GrpWall.
#ifndef PRIORITYD_SERVER_BUDGETS_BUDGET_H_
#define PRIORITYD_SERVER_BUDGETS_BUDGET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/priority/association_tree.h"
#include "server/priority/snapshot.h"
#include "server/priority/usage_decay.h"

namespace priorityd::budgets {

// Of an association with all below it, or of a QOS. Amounts are TRES-seconds, of GrpWall seconds.
struct Budget {
  priority::AssociationIndex association = priority::kNoAssociation;
  int qos = -1;      // Index; -1 = of an association.
  std::string tres;  // Canonical; empty = GrpWall.
  double limit = 0;
  double used = 0;  // Decayed to the moment of the snapshot.

  bool of_qos() const { return qos >= 0; }
  double left() const { return used < limit ? limit - used : 0; }
};

// By TRES name, GrpWall first. Whether the policy enforces them is not asked.
std::vector<Budget> BudgetsOfAssociation(const priority::Snapshot& snapshot,
                                         priority::AssociationIndex i);
std::vector<Budget> BudgetsOfQos(const priority::Snapshot& snapshot, int qos);
// Of all associations, in the order of the tree, then of all QOS.
std::vector<Budget> AllBudgets(const priority::Snapshot& snapshot);

// When usage that is `used` at `from`, and grows by `rate` a second, reaches `limit`, decay and
// resets included: not before `from`; nullopt = not within ten years and twelve resets.
std::optional<absl::Time> RunsOut(const priority::UsageDecay& decay, double used, double rate,
                                  double limit, absl::Time from);
// The same of a budget, from the moment of the snapshot: usage of a QOS with NoDecay does not.
std::optional<absl::Time> RunsOut(const priority::Snapshot& snapshot, const Budget& budget,
                                  double rate);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_BUDGET_H_
