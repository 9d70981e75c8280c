// What associations used of one TRES.
#ifndef PRIORITYD_SERVER_PRIORITY_USAGE_COLUMN_H_
#define PRIORITYD_SERVER_PRIORITY_USAGE_COLUMN_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/function_ref.h"
#include "server/priority/association_tree.h"

namespace priorityd::priority {

// Amounts by AssociationIndex. Where few are not 0 only those take memory, so that a TRES that
// one association has used costs no more than that, however many associations there are.
class UsageColumn {
 public:
  using Amounts = std::vector<std::pair<AssociationIndex, double>>;

  UsageColumn() = default;  // All 0.
  // One amount for each association.
  UsageColumn(std::vector<double> amounts) : dense_(std::move(amounts)) {}  // NOLINT
  UsageColumn(std::initializer_list<double> amounts) : dense_(amounts) {}
  // Those given, of `size` associations; several of one add up, in their order.
  UsageColumn(Amounts amounts, int size);

  double operator[](AssociationIndex i) const;
  // Calls `visit` with those that are not 0, in ascending order.
  void ForEach(absl::FunctionRef<void(AssociationIndex, double)> visit) const;

  // As AssociationTree::RollUp, bit for bit the same however the amounts are kept.
  void RollUp(const AssociationTree& tree);

  // About what it takes.
  size_t bytes() const;

 private:
  void Take(Amounts amounts, int size);

  std::vector<double> dense_;  // Empty = `sparse_` has the amounts.
  Amounts sparse_;             // Ascending, each association once.
};

// By canonical TRES name. A column may be left out where nothing was used.
using TresUsage = absl::btree_map<std::string, UsageColumn>;

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_USAGE_COLUMN_H_
