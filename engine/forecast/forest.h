// A quantile regression forest of waits.
#ifndef PRIORITYD_ENGINE_FORECAST_FOREST_H_
#define PRIORITYD_ENGINE_FORECAST_FOREST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/forecast/example.h"
#include "engine/forecast/tree.h"

namespace priorityd::forecast {

struct ForestOptions {
  int trees = 60;              // 1 to 1000.
  int smallest_leaf = 8;       // Examples in a leaf, at least 1.
  double part_features = .25;  // Of the features that each split looks at, above 0 to 1.
  double half_life = 1'500;    // After so many newer examples, one has half its weight. Above 0.
  uint64_t seed = 1;
};

// Meinshausen, "Quantile regression forests", Journal of Machine Learning Research 7 (2006): the
// trees of Breiman's random forest, whose leaves have all their examples instead of their mean. A
// row is in one leaf of each tree; the quantiles are those of the examples of these leaves, each
// leaf of the same weight. Splits leave the least variance of y = ToScale of waits.
//
// Differs from it in two ways. Newer examples join the leaves of trees that are grown already
// (Add), so that a forest learns with each start, and weights within a leaf halve with age.
//
// The same examples, options and calls give the same forest, to the bit, on each machine.
class Forest {
 public:
  // Without trees: `empty`.
  Forest() = default;
  // `examples`: oldest first. Takes half a second for 10,000. Memory: about 8 bytes x examples x
  // trees. No examples: an empty forest. REQUIRES: no row has a NaN; at most a million examples.
  static Forest Train(absl::Span<const Example> examples, const ForestOptions& options);

  bool empty() const { return trees_.empty(); }
  // Examples that it has learned from, those of Add included.
  size_t examples() const { return place_.size(); }

  // A newer example. Memory: 8 bytes x trees.
  void Add(const Example& example);

  // On the scale of ToScale, by level (0 to 1, ascending). `above`: of the examples with a
  // higher y than this only, for a job that has waited so long already. Empty if there are none, or
  // with an empty forest.
  std::vector<double> Quantiles(const Row& row, absl::Span<const double> levels,
                                double above = -1) const;
  // The mean of y over the leaves as they were grown. REQUIRES: not empty.
  double Mean(const Row& row) const;

 private:
  // Sets the places of the examples of the training; `y` as ToFixed gives it.
  void Place(const std::vector<uint32_t>& y);
  // The weight of each example for a row, by its place; a leaf has 1 in all.
  std::vector<float> PartsOf(const Row& row) const;

  std::vector<Tree> trees_;
  std::vector<uint32_t> sorted_y_;  // As ToFixed gives them, ascending.
  std::vector<uint32_t> place_;     // In sorted_y_, by example.
  float fading_ = 1;                // The weight of an example as a part of that of the next one.
  float newest_weight_ = 1;         // As a multiple of that of the newest one of the training.
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_FOREST_H_
