// Fair-share as it would be if one branch of the tree had other usage or shares.
#ifndef PRIORITYD_SERVER_EXPLANATION_BRANCH_CHANGE_H_
#define PRIORITYD_SERVER_EXPLANATION_BRANCH_CHANGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "server/priority/association_tree.h"
#include "server/priority/fair_share.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

// Each question computes the fair-share of the whole tree again, by the function
// that recalculations use. `snapshot` must outlive it. Not thread-safe.
class BranchChange {
 public:
  BranchChange(const priority::Snapshot& snapshot, priority::AssociationIndex branch);

  priority::AssociationIndex branch() const { return branch_; }
  // The usage of the branch and of everything below it times `kept`; everybody
  // else's as it is.
  priority::FairShare WithUsage(double kept) const;
  // REQUIRES: the branch is neither root nor of `parent` shares.
  priority::FairShare WithRawShares(uint32_t raw_shares);

 private:
  const priority::Snapshot& snapshot_;
  priority::AssociationIndex branch_;
  std::vector<priority::AssociationIndex> below_;  // The branch too.
  std::optional<priority::AssociationTree> tree_;  // With other shares; made when first asked for.
};

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_BRANCH_CHANGE_H_
