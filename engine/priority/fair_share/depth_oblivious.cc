#include "engine/priority/fair_share/depth_oblivious.h"

#include <cmath>
#include <vector>

#include "engine/priority/fair_share/classic.h"

namespace priorityd::priority {
namespace {

// The part of an association's distance from the mean of its level that counts: all of it if
// parent and child deviate in the same direction, else less, the further the parent deviates.
double Damping(double parent_ratio, double level_ratio) {
  if (parent_ratio == 0 || level_ratio == 0) return 1;
  const double parent_log = std::log(parent_ratio);
  if (parent_log * std::log(level_ratio) >= 0) return 1;
  return 1 / (1 + (5 * parent_log) * (5 * parent_log));
}

// The sum of the norm usage of each association's competing children.
std::vector<double> LevelUsage(const AssociationTree& tree, const std::vector<double>& norm_usage) {
  std::vector<double> sums(norm_usage.size());
  for (AssociationIndex i = 1; i < tree.size(); ++i) {
    if (!tree.parent_shares(i)) sums[tree.fair_share_parent()[i]] += norm_usage[i];
  }
  return sums;
}

}  // namespace

void DepthOblivious(const AssociationTree& tree, double dampening_factor, FairShare* result) {
  const std::vector<double>& norm_usage = result->norm_usage;
  const absl::Span<const double> shares = tree.path_norm_shares();
  const std::vector<double> level_usage = LevelUsage(tree, norm_usage);
  std::vector<double>& effective = result->effective_usage;
  effective.assign(norm_usage.size(), 1);
  for (AssociationIndex i = 1; i < tree.size(); ++i) {
    const AssociationIndex parent = tree.fair_share_parent()[i];
    if (tree.parent_shares(i) && parent != 0) {
      effective[i] = effective[parent];
    } else if (parent == 0 || shares[i] == 0 || shares[parent] == 0 || effective[parent] == 0 ||
               norm_usage[i] == 0) {
      effective[i] = norm_usage[i];
    } else {
      const double parent_ratio = effective[parent] / shares[parent];
      const double mean_ratio = level_usage[parent] / shares[parent];
      const double level_ratio = (norm_usage[i] / shares[i]) / mean_ratio;
      const double damping = Damping(parent_ratio, level_ratio);
      effective[i] = parent_ratio * std::pow(level_ratio, damping) * shares[i];
    }
  }
  result->fair_share = DampenedFairShare(tree, effective, dampening_factor);
}

}  // namespace priorityd::priority
