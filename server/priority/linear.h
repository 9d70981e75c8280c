// The fair-share formula of SLURM 2.0.
#ifndef PRIORITYD_SERVER_PRIORITY_LINEAR_H_
#define PRIORITYD_SERVER_PRIORITY_LINEAR_H_

#include "server/priority/association_tree.h"
#include "server/priority/fair_share.h"

namespace priorityd::priority {

// Fills effective_usage and fair_share = (norm shares - effective usage + 1) / 2; reads norm_usage.
// Source: SLURM 2.0, "The SLURM Fair-Share Formula".
void Linear(const AssociationTree& tree, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_LINEAR_H_
