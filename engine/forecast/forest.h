// A quantile regression forest of waits.
#ifndef PRIORITYD_ENGINE_FORECAST_FOREST_H_
#define PRIORITYD_ENGINE_FORECAST_FOREST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/forecast/example.h"

namespace priorityd::forecast {

struct ForestOptions {
  int trees = 40;              // 1 to 1000.
  int smallest_leaf = 8;       // Examples in a leaf, at least 1.
  double part_features = .35;  // Of the features that each split looks at, above 0 to 1.
  uint64_t seed = 1;
};

// Meinshausen, "Quantile regression forests", Journal of Machine Learning Research 7 (2006): the
// trees of Breiman's random forest, and in each leaf all its examples instead of their mean. A row
// is in one leaf of each tree; an example has weight 1 / (trees x size of the leaf) in each of
// these. Quantiles are those of the weighted examples. Splits minimize the variance of y = ToScale
// of waits.
//
// Immutable. The same examples and options give the same forest, to the bit, on each machine.
class Forest {
 public:
  // A forest without trees: `empty`.
  Forest() = default;
  // Takes seconds for 6,000 examples and more, on one thread. Memory: about 16 bytes x examples x
  // trees. No examples: an empty forest. REQUIRES: no NaN in a row.
  static Forest Train(absl::Span<const Example> examples, const ForestOptions& options);

  bool empty() const { return roots_.empty(); }

  // On the scale of ToScale, by level (0 to 1), in the same order; a higher level never has a lower
  // value. `above`: of the examples with a higher y than this only, for a job that has waited so
  // long already; if there are none, or with an empty forest, nothing.
  std::vector<double> Quantiles(const Row& row, absl::Span<const double> levels,
                                double above = -1) const;
  // The mean of y. REQUIRES: not empty.
  double Mean(const Row& row) const;

 private:
  struct Node {
    float threshold = 0;   // A row with at most this goes to `left`, any other to `left` + 1.
    int32_t feature = -1;  // -1 = a leaf: its examples begin at `left` of examples_.
    uint32_t left = 0;
    uint32_t size = 0;  // Of a leaf.
    float mean = 0;     // Of y.
  };
  friend class TreeGrower;

  const Node& LeafOf(uint32_t root, const Row& row) const;

  std::vector<uint32_t> roots_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> examples_;  // Of all leaves: indices into sorted_.
  std::vector<double> sorted_;      // The y of all examples, ascending.
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_FOREST_H_
