// Fair Tree (Slurm 25.11, "Fair Tree Fairshare Algorithm").
#ifndef PRIORITYD_SERVER_PRIORITY_FAIR_TREE_H_
#define PRIORITYD_SERVER_PRIORITY_FAIR_TREE_H_

#include "server/priority/association_tree.h"
#include "server/priority/fair_share.h"

namespace priorityd::priority {

// FairTreeTies=merge, the documented rule: siblings whose LevelFS differ by at most 1e-9 relative
// are tied. Tied users share a rank, the children of tied accounts are merged into one level, and
// the best users below an account share the rank of a user that is tied with the account. Fills
// effective_usage, level_fs and fair_share; reads usage.
void FairTree(const AssociationTree& tree, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_FAIR_TREE_H_
