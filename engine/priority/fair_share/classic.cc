#include "engine/priority/fair_share/classic.h"

#include <cmath>

namespace priorityd::priority {

std::vector<double> ClassicEffectiveUsage(const AssociationTree& tree,
                                          const std::vector<double>& norm_usage, double root) {
  std::vector<double> effective(norm_usage.size());
  effective[0] = root;
  for (AssociationIndex i = 1; i < tree.size(); ++i) {
    const AssociationIndex parent = tree.fair_share_parent()[i];
    const double own = norm_usage[i];
    const double level_shares = tree.level_shares()[i];
    if (parent == 0) {
      effective[i] = own;
    } else if (tree.parent_shares(i) || level_shares == 0) {
      effective[i] = effective[parent];
    } else {
      effective[i] = own + (effective[parent] - own) * (tree.raw_shares()[i] / level_shares);
    }
  }
  return effective;
}

std::vector<double> DampenedFairShare(const AssociationTree& tree,
                                      const std::vector<double>& effective_usage,
                                      double dampening_factor) {
  std::vector<double> fair_share(effective_usage.size());
  for (size_t i = 0; i < fair_share.size(); ++i) {
    const double shares = tree.path_norm_shares()[i];
    if (shares > 0) fair_share[i] = std::exp2(-effective_usage[i] / shares / dampening_factor);
  }
  return fair_share;
}

void Classic(const AssociationTree& tree, double dampening_factor, FairShare* result) {
  result->effective_usage = ClassicEffectiveUsage(tree, result->norm_usage, 1);
  result->fair_share = DampenedFairShare(tree, result->effective_usage, dampening_factor);
}

}  // namespace priorityd::priority
