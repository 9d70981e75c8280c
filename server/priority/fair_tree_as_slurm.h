// Fair Tree with Slurm's own ties.
#ifndef PRIORITYD_SERVER_PRIORITY_FAIR_TREE_AS_SLURM_H_
#define PRIORITYD_SERVER_PRIORITY_FAIR_TREE_AS_SLURM_H_

#include "absl/types/span.h"
#include "server/priority/association_tree.h"
#include "server/priority/fair_share.h"

namespace priorityd::priority {

// FairTreeTies=slurm: what slurmctld does on x86-64. LevelFS is an 80-bit long
// double of double norm shares, compared raw; siblings of equal LevelFS are held
// users first, then in id order; accounts are never merged: the first entry of
// a tied account takes the last rank given before it, the rest are counted on.
// Fills the same columns from own usage.
void FairTreeAsSlurm(const AssociationTree& tree, absl::Span<const double> own_usage,
                     FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_FAIR_TREE_AS_SLURM_H_
