// Limits on usage (GrpTRESMins and GrpWall) and the rest of them.
#ifndef PRIORITYD_SERVER_BUDGETS_BUDGET_H_
#define PRIORITYD_SERVER_BUDGETS_BUDGET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::budgets {

// One limit of an association and everything below it, or of a QOS. Unit of all amounts:
// TRES-seconds; for GrpWall seconds.
struct Budget {
  priority::AssociationIndex association = priority::kNoAssociation;
  int qos = -1;      // Index; -1 = of an association.
  std::string tres;  // Canonical; empty = GrpWall.
  double limit = 0;
  double used = 0;  // Decayed to the time of the snapshot.

  bool of_qos() const { return qos >= 0; }
  double left() const { return used < limit ? limit - used : 0; }
};

// The budgets of one association or QOS: GrpWall first, then by TRES name; whether or not the
// policy enforces them.
std::vector<Budget> BudgetsOfAssociation(const priority::Snapshot& snapshot,
                                         priority::AssociationIndex i);
std::vector<Budget> BudgetsOfQos(const priority::Snapshot& snapshot, int qos);
// The budgets of all associations, in the order of the tree, then of all QOS.
std::vector<Budget> AllBudgets(const priority::Snapshot& snapshot);

// The time at which usage reaches `limit`, given that it is `used` at `from` and grows by `rate`
// per second, with decay and resets. At least `from`; nullopt = not within ten years or twelve
// resets.
std::optional<absl::Time> RunsOut(const priority::UsageDecay& decay, double used, double rate,
                                  double limit, absl::Time from);
// The same for a budget, from the time of the snapshot; usage of a QOS with NoDecay does not decay.
std::optional<absl::Time> RunsOut(const priority::Snapshot& snapshot, const Budget& budget,
                                  double rate);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_BUDGET_H_
