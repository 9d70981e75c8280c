// Fair Tree with ties as slurmctld resolves them.
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_TREE_AS_SLURM_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_TREE_AS_SLURM_H_

#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::priority {

// FairTreeTies=slurm: the behaviour of slurmctld on x86-64. LevelFS is an 80-bit long double
// computed from double norm shares and compared exactly. Siblings of equal LevelFS are ordered
// users first, then by id. Accounts are never merged: the first entry below a tied account takes
// the rank given last, the others take the following ranks. Fills effective_usage, level_fs and
// fair_share from own usage.
void FairTreeAsSlurm(const AssociationTree& tree, absl::Span<const double> own_usage,
                     FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_FAIR_TREE_AS_SLURM_H_
