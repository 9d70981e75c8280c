// Finds where the paths from root to two associations diverge.
#ifndef PRIORITYD_ENGINE_EXPLANATION_BRANCHES_H_
#define PRIORITYD_ENGINE_EXPLANATION_BRANCHES_H_

#include <array>
#include <optional>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// One side below the common ancestor of two associations.
struct Branch {
  priority::AssociationIndex association = priority::kNoAssociation;
  // Its part of the ancestor's usage, 0 to 1; 0 if the ancestor has none.
  double usage = 0;
  // Its part of the raw shares that compete below the ancestor; 0 for `parent`.
  double shares = 0;
};

// The nearest common ancestor of two associations by fair-share parents, and the fair-share child
// of it on either side (below `parent` accounts, not a direct child). Their shares are compared.
struct Branches {
  priority::AssociationIndex ancestor = priority::kNoAssociation;
  std::array<Branch, 2> branch;
};

// nullopt if `a` and `b` are equal, or if another tree decides: that of a usage domain. REQUIRES:
// both are users.
std::optional<Branches> FindBranches(const priority::Snapshot& snapshot,
                                     priority::AssociationIndex a, priority::AssociationIndex b);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_BRANCHES_H_
