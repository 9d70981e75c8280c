// The approximate fair-share of one user if a branch of the tree had different usage or shares:
// cheap enough for many calls.
#ifndef PRIORITYD_ENGINE_EXPLANATION_BRANCH_SKETCH_H_
#define PRIORITYD_ENGINE_EXPLANATION_BRANCH_SKETCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// Evaluates Fair Tree only along the path from root to the user: the siblings ahead on each level
// and the number of users below each. Ties are neither merged nor do they share ranks, so that the
// result is approximate if there are ties. `snapshot` must outlive it. Thread-compatible: all
// methods are const.
class BranchSketch {
 public:
  BranchSketch(const priority::Snapshot& snapshot, priority::AssociationIndex branch);

  // Multiplies the usage of the branch and everything below it by `kept`.
  double FairShareWithUsage(priority::AssociationIndex user, double kept) const {
    return FairShare(user, {kept, std::nullopt});
  }
  // REQUIRES: the branch is not root and has shares of its own.
  double FairShareWithRawShares(priority::AssociationIndex user, uint32_t raw_shares) const {
    return FairShare(user, {1, raw_shares});
  }

 private:
  enum class Place : uint8_t { kBeside, kAbove, kWithin };  // Relative to the branch.

  struct Change {
    double kept;
    std::optional<uint32_t> raw_shares;
  };

  double FairShare(priority::AssociationIndex user, const Change& change) const;
  double LevelFs(priority::AssociationIndex i, const Change& change) const;
  double NormShares(priority::AssociationIndex i, const Change& change) const;
  double Usage(priority::AssociationIndex i, const Change& change) const;

  const priority::Snapshot& snapshot_;
  const priority::AssociationTree& tree_;
  const priority::AssociationIndex branch_;
  std::vector<Place> place_;  // By association.
};

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_BRANCH_SKETCH_H_
