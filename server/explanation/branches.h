// Where the ways of two associations through the tree part.
#ifndef PRIORITYD_SERVER_EXPLANATION_BRANCHES_H_
#define PRIORITYD_SERVER_EXPLANATION_BRANCHES_H_

#include <array>
#include <optional>

#include "server/priority/association_tree.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

// One side below the association where two ways part.
struct Branch {
  priority::AssociationIndex association = priority::kNoAssociation;
  // Part of the ancestor's usage, 0 to 1; 0 where that has none.
  double usage = 0;
  // Raw shares as a part of all that compete below the ancestor; 0 for `parent`.
  double shares = 0;
};

// Two associations' nearest common ancestor by fair-share parents, below which
// their shares are compared, and what stands directly under it on either side
// (under `parent` accounts that is not a child of the ancestor).
struct Branches {
  priority::AssociationIndex ancestor = priority::kNoAssociation;
  std::array<Branch, 2> branch;
};

// nullopt if `a` and `b` are the same. REQUIRES: both are users.
std::optional<Branches> FindBranches(const priority::Snapshot& snapshot,
                                     priority::AssociationIndex a, priority::AssociationIndex b);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_BRANCHES_H_
