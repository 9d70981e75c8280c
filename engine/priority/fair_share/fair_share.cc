#include "engine/priority/fair_share/fair_share.h"

#include <algorithm>
#include <utility>

#include "engine/priority/fair_share/classic.h"
#include "engine/priority/fair_share/depth_oblivious.h"
#include "engine/priority/fair_share/fair_tree.h"
#include "engine/priority/fair_share/fair_tree_as_slurm.h"
#include "engine/priority/fair_share/linear.h"

namespace priorityd::priority {
namespace {

// usage / whole, at most 1; 0 if `whole` is 0.
std::vector<double> Normalize(const std::vector<double>& usage, double whole) {
  std::vector<double> normalized(usage.size());
  if (whole > 0) {
    for (size_t i = 0; i < usage.size(); ++i) normalized[i] = std::min(1.0, usage[i] / whole);
  }
  return normalized;
}

}  // namespace

FairShare ComputeFairShare(const AssociationTree& tree, const Policy& policy,
                           std::vector<double> own_usage, double linear_capacity) {
  FairShare result;
  result.algorithm = policy.algorithm;
  if (policy.algorithm == FairShareAlgorithm::kFairTree &&
      policy.fair_tree_ties == FairTreeTies::kSlurm) {
    FairTreeAsSlurm(tree, own_usage, &result);
  }
  tree.RollUp(absl::MakeSpan(own_usage));
  result.usage = std::move(own_usage);
  const bool linear = policy.algorithm == FairShareAlgorithm::kLinear;
  result.norm_usage = Normalize(result.usage, linear ? linear_capacity : result.usage.front());
  switch (policy.algorithm) {
    case FairShareAlgorithm::kFairTree:
      if (policy.fair_tree_ties == FairTreeTies::kMerge) FairTree(tree, &result);
      break;
    case FairShareAlgorithm::kClassic:
      Classic(tree, policy.dampening_factor, &result);
      break;
    case FairShareAlgorithm::kDepthOblivious:
      DepthOblivious(tree, policy.dampening_factor, &result);
      break;
    case FairShareAlgorithm::kLinear:
      Linear(tree, &result);
      break;
  }
  return result;
}

}  // namespace priorityd::priority
