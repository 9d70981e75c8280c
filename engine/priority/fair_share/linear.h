// The fair-share formula of SLURM 2.0.
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_LINEAR_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_LINEAR_H_

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::priority {

// Fills effective_usage and fair_share = (norm shares - effective usage + 1) / 2; reads norm_usage.
// Source: SLURM 2.0, "The SLURM Fair-Share Formula".
void Linear(const AssociationTree& tree, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_LINEAR_H_
