// The fair-share factor of every association, by the policy's algorithm.
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_SHARE_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_SHARE_H_

#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/policy.h"

namespace priorityd::priority {

// Columns over a tree, by AssociationIndex. Only level_fs can be infinite; nothing is NaN.
struct FairShare {
  FairShareAlgorithm algorithm = FairShareAlgorithm::kFairTree;
  // Billing-seconds of the association and everything below it.
  std::vector<double> usage;
  // usage / usage of root, at most 1; 0 if the latter is 0. Linear: usage / capacity.
  std::vector<double> norm_usage;
  // Fair Tree: usage / usage of the fair-share parent, 0 if the latter is 0. Others: the effective
  // usage of their formula. Root: 1 (linear: its norm usage).
  std::vector<double> effective_usage;
  // Fair Tree only, else empty: norm shares / effective usage. +infinity with shares and without
  // usage, and for `parent` users; 0 without shares, and for root and `parent` accounts.
  std::vector<double> level_fs;
  // 0..1. Fair Tree: accounts have 0.
  std::vector<double> fair_share;
};

// Computes fair-share. `own_usage`: billing-seconds by AssociationIndex, >= 0 and finite, decayed
// to the time of the recalculation, not rolled up. `linear_capacity`: R of the SLURM 2.0 formula,
// in billing-seconds; read by kLinear only, 0 = all norm usage is 0. Cannot fail.
FairShare ComputeFairShare(const AssociationTree& tree, const Policy& policy,
                           std::vector<double> own_usage, double linear_capacity);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_SHARE_H_
