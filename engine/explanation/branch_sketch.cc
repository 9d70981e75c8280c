#include "engine/explanation/branch_sketch.h"

#include <limits>

namespace priorityd::explanation {

BranchSketch::BranchSketch(const priority::Snapshot& snapshot, priority::AssociationIndex branch)
    : snapshot_(snapshot),
      tree_(snapshot.tree()),
      branch_(branch),
      place_(tree_.size(), Place::kBeside) {
  for (priority::AssociationIndex i = branch; i != 0; i = tree_.parent()[i]) {
    place_[tree_.parent()[i]] = Place::kAbove;
  }
  place_[branch] = Place::kWithin;
  for (priority::AssociationIndex i = branch + 1; i < tree_.size(); ++i) {
    if (place_[tree_.parent()[i]] == Place::kWithin) place_[i] = Place::kWithin;
  }
}

double BranchSketch::FairShare(priority::AssociationIndex user, const Change& change) const {
  double before = 0;
  for (priority::AssociationIndex i = user; i != 0; i = tree_.fair_share_parent()[i]) {
    const double own = LevelFs(i, change);
    for (const priority::AssociationIndex other :
         tree_.fair_share_children(tree_.fair_share_parent()[i])) {
      if (other != i && LevelFs(other, change) > own) before += tree_.users_below(other);
    }
  }
  return 1 - before / tree_.user_count();
}

double BranchSketch::LevelFs(priority::AssociationIndex i, const Change& change) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (tree_.parent_shares(i)) return kInfinity;
  const double shares = NormShares(i, change);
  if (shares == 0) return 0;
  const double usage = Usage(i, change);
  return usage == 0 ? kInfinity : shares * Usage(tree_.fair_share_parent()[i], change) / usage;
}

double BranchSketch::NormShares(priority::AssociationIndex i, const Change& change) const {
  double shares = tree_.raw_shares()[i];
  double level = tree_.level_shares()[i];
  if (change.raw_shares.has_value() &&
      tree_.fair_share_parent()[i] == tree_.fair_share_parent()[branch_]) {
    level += double{1} * *change.raw_shares - tree_.raw_shares()[branch_];
    if (i == branch_) shares = *change.raw_shares;
  }
  return level > 0 ? shares / level : 0;
}

double BranchSketch::Usage(priority::AssociationIndex i, const Change& change) const {
  const std::vector<double>& usage = snapshot_.fair_share().usage;
  switch (place_[i]) {
    case Place::kWithin:
      return usage[i] * change.kept;
    case Place::kAbove:
      return usage[i] - usage[branch_] * (1 - change.kept);
    case Place::kBeside:
      break;
  }
  return usage[i];
}

}  // namespace priorityd::explanation
