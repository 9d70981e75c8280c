// The classic fair-share formula (PriorityFlags=NO_FAIR_TREE).
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_CLASSIC_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_CLASSIC_H_

#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::priority {

// The effective usage of every association (Slurm's `classic fairshare`; also in SLURM 2.0).
// Directly below root it is the norm usage; below that, own + (parent - own) * raw shares / shares
// of the level, where `own` is the norm usage and `parent` the effective usage of the fair-share
// parent. A `parent` association, and one on a level without shares, has the value of its
// fair-share parent. `root`: the value of root.
std::vector<double> ClassicEffectiveUsage(const AssociationTree& tree,
                                          const std::vector<double>& norm_usage, double root);

// 2^-(effective usage / norm shares / dampening) for every association; 0 without shares.
std::vector<double> DampenedFairShare(const AssociationTree& tree,
                                      const std::vector<double>& effective_usage,
                                      double dampening_factor);

// Fills effective_usage and fair_share; reads norm_usage.
void Classic(const AssociationTree& tree, double dampening_factor, FairShare* result);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_CLASSIC_H_
