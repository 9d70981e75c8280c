// The depth-oblivious fair-share formula (PriorityFlags=DEPTH_OBLIVIOUS).
#ifndef PRIORITYD_SERVER_PRIORITY_DEPTH_OBLIVIOUS_H_
#define PRIORITYD_SERVER_PRIORITY_DEPTH_OBLIVIOUS_H_

#include "server/priority/association_tree.h"
#include "server/priority/fair_share.h"

namespace priorityd::priority {

// Fills effective_usage and fair_share; reads norm_usage. An association's
// effective usage follows how its level is served against the others of the
// level, and how the level's parent is served, in whatever depth.
void DepthOblivious(const AssociationTree& tree, double dampening_factor, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_DEPTH_OBLIVIOUS_H_
