// The depth-oblivious fair-share formula (PriorityFlags=DEPTH_OBLIVIOUS).
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_DEPTH_OBLIVIOUS_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_DEPTH_OBLIVIOUS_H_

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::priority {

// Fills effective_usage and fair_share; reads norm_usage. The effective usage of an association
// depends on its usage relative to its siblings and on that of its parent, not on its depth.
// Source: Slurm 25.11, "Depth-Oblivious Fair-share Factor".
void DepthOblivious(const AssociationTree& tree, double dampening_factor, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_DEPTH_OBLIVIOUS_H_
