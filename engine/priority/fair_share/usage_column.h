// The usage of one TRES by association.
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_USAGE_COLUMN_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_USAGE_COLUMN_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/function_ref.h"
#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

// Amounts by AssociationIndex. If few amounts are not 0, only those are stored, so that memory
// depends on the associations that used the TRES and not on the size of the tree.
class UsageColumn {
 public:
  using Amounts = std::vector<std::pair<AssociationIndex, double>>;

  UsageColumn() = default;  // All 0.
  // `amounts`: one for each association.
  UsageColumn(std::vector<double> amounts) : dense_(std::move(amounts)) {}  // NOLINT
  UsageColumn(std::initializer_list<double> amounts) : dense_(amounts) {}
  // `amounts` of a tree with `size` associations, in any order. Amounts of one association are
  // added in the order in which they are passed.
  UsageColumn(Amounts amounts, int size);

  double operator[](AssociationIndex i) const;
  // Calls `visit` for each amount that is not 0, by ascending association.
  void ForEach(absl::FunctionRef<void(AssociationIndex, double)> visit) const;

  // As AssociationTree::RollUp; both representations give the same bits.
  void RollUp(const AssociationTree& tree);

  // The approximate memory use.
  size_t bytes() const;

 private:
  void Take(Amounts amounts, int size);

  std::vector<double> dense_;  // Empty = the amounts are in `sparse_`.
  Amounts sparse_;             // By ascending association, without duplicates.
};

// By canonical TRES name. A missing column is all 0.
using TresUsage = absl::btree_map<std::string, UsageColumn>;

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_USAGE_COLUMN_H_
