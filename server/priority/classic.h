// The classic fair-share formula (PriorityFlags=NO_FAIR_TREE).
#ifndef PRIORITYD_SERVER_PRIORITY_CLASSIC_H_
#define PRIORITYD_SERVER_PRIORITY_CLASSIC_H_

#include <vector>

#include "server/priority/association_tree.h"
#include "server/priority/fair_share.h"

namespace priorityd::priority {

// Effective usage of every association from its norm usage (Slurm's "classic
// fairshare", also SLURM 2.0): its own right below root; else a mean of its own
// and its fair-share parent's, weighted by its part of the level's shares. A
// `parent` association and those of a level without shares have their
// fair-share parent's. `root` is that of root.
std::vector<double> ClassicEffectiveUsage(const AssociationTree& tree,
                                          const std::vector<double>& norm_usage, double root);

// 2^-(effective usage / norm shares / dampening) of every association; 0 without
// shares.
std::vector<double> DampenedFairShare(const AssociationTree& tree,
                                      const std::vector<double>& effective_usage,
                                      double dampening_factor);

// Fills effective_usage and fair_share; reads norm_usage.
void Classic(const AssociationTree& tree, double dampening_factor, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_CLASSIC_H_
