// Fair Tree (Slurm 25.11, `Fair Tree Fairshare Algorithm`).
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_TREE_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_TREE_H_

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::priority {

// FairTreeTies=merge, the documented rule: siblings whose LevelFS differ by at most 1e-9 relative
// are tied. Tied users share a rank, the children of tied accounts are merged into one level, and
// the best users below an account share the rank of a user that is tied with the account. Fills
// effective_usage, level_fs and fair_share; reads usage.
void FairTree(const AssociationTree& tree, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_TREE_H_
