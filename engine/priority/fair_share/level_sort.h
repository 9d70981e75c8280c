// Sorts the siblings of one level of the tree by LevelFS.
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_LEVEL_SORT_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_LEVEL_SORT_H_

#include <bit>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

// An association and its LevelFS (>= 0, possibly infinite), encoded so that ascending keys are
// descending LevelFS.
struct LevelItem {
  uint64_t key;
  AssociationIndex association;

  static LevelItem Of(AssociationIndex association, double level_fs) {
    return {~std::bit_cast<uint64_t>(level_fs), association};
  }
  double level_fs() const { return std::bit_cast<double>(~key); }
};

// Sorts by descending LevelFS; the order of equal items is unspecified. Takes linear time for
// large levels with ordinary values, and at most a constant factor longer than std::sort.
// `scratch`: memory that is reused from level to level.
void SortLevel(absl::Span<LevelItem> items, std::vector<LevelItem>* scratch);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_LEVEL_SORT_H_
