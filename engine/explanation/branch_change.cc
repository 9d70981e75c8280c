#include "engine/explanation/branch_change.h"

#include <utility>

namespace priorityd::explanation {

BranchChange::BranchChange(const priority::Snapshot& snapshot, priority::AssociationIndex branch)
    : snapshot_(snapshot), branch_(branch), below_({branch}) {
  for (size_t i = 0; i < below_.size(); ++i) {
    for (const priority::AssociationIndex child : snapshot.tree().children(below_[i])) {
      below_.push_back(child);
    }
  }
}

priority::FairShare BranchChange::WithUsage(double kept) const {
  std::vector<double> own_usage = snapshot_.own_usage();
  for (const priority::AssociationIndex i : below_) own_usage[i] *= kept;
  return priority::ComputeFairShare(snapshot_.tree(), snapshot_.policy(), std::move(own_usage),
                                    snapshot_.linear_capacity());
}

priority::FairShare BranchChange::WithRawShares(uint32_t raw_shares) {
  if (!tree_.has_value()) tree_ = snapshot_.tree().Copy();
  tree_->SetRawShares(branch_, raw_shares);
  return priority::ComputeFairShare(*tree_, snapshot_.policy(), snapshot_.own_usage(),
                                    snapshot_.linear_capacity());
}

}  // namespace priorityd::explanation
