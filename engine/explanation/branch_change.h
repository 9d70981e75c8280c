// Hypothetical fair-share: one branch of the tree has different usage or shares.
#ifndef PRIORITYD_ENGINE_EXPLANATION_BRANCH_CHANGE_H_
#define PRIORITYD_ENGINE_EXPLANATION_BRANCH_CHANGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// Each call computes the fair-share of the whole tree with the function that recalculations use.
// `snapshot` must outlive it. Not thread-safe.
class BranchChange {
 public:
  BranchChange(const priority::Snapshot& snapshot, priority::AssociationIndex branch);

  priority::AssociationIndex branch() const { return branch_; }
  // Multiplies the usage of the branch and everything below it by `kept`; other usage is unchanged.
  priority::FairShare WithUsage(double kept) const;
  // REQUIRES: the branch is not root and has shares of its own.
  priority::FairShare WithRawShares(uint32_t raw_shares);

 private:
  const priority::Snapshot& snapshot_;
  priority::AssociationIndex branch_;
  std::vector<priority::AssociationIndex> below_;  // Includes the branch.
  std::optional<priority::AssociationTree>
      tree_;  // A copy with different shares; made on first use.
};

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_BRANCH_CHANGE_H_
