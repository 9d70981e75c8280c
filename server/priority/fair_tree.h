// Fair Tree (Slurm 25.11, "Fair Tree Fairshare Algorithm").
#ifndef PRIORITYD_SERVER_PRIORITY_FAIR_TREE_H_
#define PRIORITYD_SERVER_PRIORITY_FAIR_TREE_H_

#include "absl/types/span.h"
#include "server/priority/association_tree.h"
#include "server/priority/fair_share.h"

namespace priorityd::priority {

// FairTreeTies=merge, the documented rule: siblings whose LevelFS agree to 1e-9
// relative are tied; tied users share a rank, tied accounts have their children
// merged, and the best users below an account share the rank of a user tied
// with it. Fills effective_usage, level_fs and fair_share; reads usage.
void FairTree(const AssociationTree& tree, FairShare* result);

// FairTreeTies=slurm: what slurmctld does on x86-64. LevelFS is an 80-bit long
// double of double norm shares, compared raw; siblings of equal LevelFS are held
// users first, then in id order; accounts are never merged: the first entry of
// a tied account takes the last rank given before it, the rest go on by count.
// Fills the same columns from own usage.
void FairTreeAsSlurm(const AssociationTree& tree, absl::Span<const double> own_usage,
                     FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_FAIR_TREE_H_
