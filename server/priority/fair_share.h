// The fair-share factor of every association, by the policy's algorithm.
#ifndef PRIORITYD_SERVER_PRIORITY_FAIR_SHARE_H_
#define PRIORITYD_SERVER_PRIORITY_FAIR_SHARE_H_

#include <vector>

#include "server/priority/association_tree.h"
#include "server/priority/policy.h"

namespace priorityd::priority {

// Columns over a tree, by AssociationIndex. Infinities are possible in level_fs
// only, NaN nowhere.
struct FairShare {
  FairShareAlgorithm algorithm = FairShareAlgorithm::kFairTree;
  // Billing-seconds, the association and all below it.
  std::vector<double> usage;
  // usage / root usage, 0 when that is 0, at most 1. Linear: / capacity.
  std::vector<double> norm_usage;
  // Fair Tree: usage / usage of the fair-share parent, 0 when that is 0. The
  // others: efctv of the formula. Root 1 (linear: its norm usage).
  std::vector<double> effective_usage;
  // Fair Tree only, else empty: norm shares / effective usage; +inf when there
  // are shares and no usage, and for `parent` users; 0 without shares; 0 for
  // root and `parent` accounts, which have none.
  std::vector<double> level_fs;
  // 0..1. Fair Tree: users only, accounts 0.
  std::vector<double> fair_share;
};

// `own_usage` by AssociationIndex, each >= 0 and finite, decayed to the time of
// the recalculation. `linear_capacity`: R of SLURM 2.0's formula, in
// billing-seconds (read by kLinear only; 0 = norm usage 0). Total: cannot fail.
FairShare ComputeFairShare(const AssociationTree& tree, const Policy& policy,
                           std::vector<double> own_usage, double linear_capacity);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_FAIR_SHARE_H_
