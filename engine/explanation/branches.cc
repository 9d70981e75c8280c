#include "engine/explanation/branches.h"

#include <algorithm>
#include <vector>

namespace priorityd::explanation {
namespace {

// The path from root to an association, by fair-share parents.
std::vector<priority::AssociationIndex> FairSharePath(const priority::AssociationTree& tree,
                                                      priority::AssociationIndex i) {
  std::vector<priority::AssociationIndex> path;
  for (; i != priority::kNoAssociation; i = tree.fair_share_parent()[i]) path.push_back(i);
  std::reverse(path.begin(), path.end());
  return path;
}

Branch MakeBranch(const priority::Snapshot& snapshot, priority::AssociationIndex ancestor,
                  priority::AssociationIndex i) {
  const priority::AssociationTree& tree = snapshot.tree();
  const std::vector<double>& usage = snapshot.fair_share().usage;
  Branch branch;
  branch.association = i;
  if (usage[ancestor] > 0) branch.usage = usage[i] / usage[ancestor];
  if (tree.level_shares()[i] > 0) branch.shares = tree.raw_shares()[i] / tree.level_shares()[i];
  return branch;
}

}  // namespace

std::optional<Branches> FindBranches(const priority::Snapshot& snapshot,
                                     priority::AssociationIndex a, priority::AssociationIndex b) {
  if (a == b || snapshot.domain() != nullptr) return std::nullopt;
  const std::vector<priority::AssociationIndex> path_a = FairSharePath(snapshot.tree(), a);
  const std::vector<priority::AssociationIndex> path_b = FairSharePath(snapshot.tree(), b);
  const auto part =
      std::mismatch(path_a.begin(), path_a.end(), path_b.begin(), path_b.end()).first -
      path_a.begin();
  const priority::AssociationIndex ancestor = path_a[part - 1];
  return Branches{
      ancestor,
      {MakeBranch(snapshot, ancestor, path_a[part]), MakeBranch(snapshot, ancestor, path_b[part])}};
}

}  // namespace priorityd::explanation
