#include "engine/priority/fair_share/linear.h"

#include "engine/priority/fair_share/classic.h"

namespace priorityd::priority {

void Linear(const AssociationTree& tree, FairShare* result) {
  const double root = result->norm_usage.front();
  result->effective_usage = ClassicEffectiveUsage(tree, result->norm_usage, root);
  result->fair_share.resize(result->effective_usage.size());
  for (size_t i = 0; i < result->fair_share.size(); ++i) {
    result->fair_share[i] = (tree.path_norm_shares()[i] - result->effective_usage[i] + 1) / 2;
  }
}

}  // namespace priorityd::priority
