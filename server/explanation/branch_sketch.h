// Fair-share of one user, about as it would be if a branch of the tree had other usage or
// shares: what is cheap enough to be asked very often.
#ifndef PRIORITYD_SERVER_EXPLANATION_BRANCH_SKETCH_H_
#define PRIORITYD_SERVER_EXPLANATION_BRANCH_SKETCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "server/priority/association_tree.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

// Fair Tree looked at along the user's way from root alone: who stands before him there, and
// how many users each of those has below. Ties share no rank and are not merged, so that it
// is a guess where there are some. `snapshot` must outlive it. Thread-compatible: all const.
class BranchSketch {
 public:
  BranchSketch(const priority::Snapshot& snapshot, priority::AssociationIndex branch);

  // The usage of the branch and of everything below it times `kept`.
  double FairShareWithUsage(priority::AssociationIndex user, double kept) const {
    return FairShare(user, {kept, std::nullopt});
  }
  // REQUIRES: the branch is neither root nor of `parent` shares.
  double FairShareWithRawShares(priority::AssociationIndex user, uint32_t raw_shares) const {
    return FairShare(user, {1, raw_shares});
  }

 private:
  enum class Place : uint8_t { kBeside, kAbove, kWithin };  // As seen from the branch.

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

#endif  // PRIORITYD_SERVER_EXPLANATION_BRANCH_SKETCH_H_
