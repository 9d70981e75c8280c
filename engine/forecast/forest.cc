#include "engine/forecast/forest.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "engine/forecast/binned_rows.h"
#include "engine/forecast/random.h"
#include "engine/forecast/scale.h"

namespace priorityd::forecast {
namespace {

constexpr double kLog2 = 0.693147180559945309417;

// No weight is below this, and none above its inverse: what is beyond counts as equally old.
constexpr float kLeastWeight = 1e-15F;

}  // namespace

Forest Forest::Train(absl::Span<const Example> examples, const ForestOptions& options) {
  Forest forest;
  if (examples.empty()) return forest;
  std::vector<uint32_t> y;
  for (const Example& example : examples) y.push_back(ToFixed(ToScale(example.wait)));
  forest.Place(y);
  forest.fading_ = static_cast<float>(Exp(-kLog2 / options.half_life));
  std::vector<float> weights(y.size(), 1);
  for (size_t i = weights.size() - 1; i > 0; --i) {
    weights[i - 1] = std::max(weights[i] * forest.fading_, kLeastWeight);
  }
  const BinnedRows rows(examples);
  const Tree::Options of_trees = {static_cast<uint32_t>(options.smallest_leaf),
                                  options.part_features};
  Random random(options.seed);
  for (int i = 0; i < options.trees; ++i) {
    forest.trees_.push_back(Tree::Grow(rows, y, weights, of_trees, &random));
  }
  return forest;
}

void Forest::Place(const std::vector<uint32_t>& y) {
  std::vector<uint32_t> order(y.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return std::tie(y[a], a) < std::tie(y[b], b); });
  place_.resize(y.size());
  for (uint32_t place = 0; place < order.size(); ++place) {
    place_[order[place]] = place;
    sorted_y_.push_back(y[order[place]]);
  }
}

void Forest::Add(const Example& example) {
  if (empty()) return;
  const uint32_t y = ToFixed(ToScale(example.wait));
  const auto at = std::upper_bound(sorted_y_.begin(), sorted_y_.end(), y);
  const auto place = static_cast<uint32_t>(at - sorted_y_.begin());
  sorted_y_.insert(at, y);
  for (uint32_t& other : place_) other += other >= place ? 1 : 0;
  const auto number = static_cast<uint32_t>(place_.size());
  place_.push_back(place);
  newest_weight_ = std::min(newest_weight_ / fading_, 1 / kLeastWeight);
  for (Tree& tree : trees_) tree.Add(example.row, {number, newest_weight_});
}

std::vector<float> Forest::PartsOf(const Row& row) const {
  std::vector<float> parts(sorted_y_.size());
  for (const Tree& tree : trees_) {
    const Tree::Leaf& leaf = tree.LeafOf(row);
    const float part = 1 / leaf.weight;
    for (const Tree::Member& member : leaf.members) {
      parts[place_[member.example]] += member.weight * part;
    }
  }
  return parts;
}

std::vector<double> Forest::Quantiles(const Row& row, absl::Span<const double> levels,
                                      double above) const {
  if (empty()) return {};
  const std::vector<float> parts = PartsOf(row);
  const auto is_below = [&](uint32_t y) { return above >= 0 && FromFixed(y) <= above; };
  const auto first = std::partition_point(sorted_y_.begin(), sorted_y_.end(), is_below);
  const size_t begin = first - sorted_y_.begin();
  double all = 0;
  for (size_t i = begin; i < parts.size(); ++i) all += parts[i];
  if (all == 0) return {};
  std::vector<double> quantiles;
  size_t i = begin;
  double sum = parts[i];
  for (const double level : levels) {
    // The least y with at least the level's part of all up to it. A part in a million is for the
    // rounding of the parts.
    const double wanted = level * all * (1 - 1e-6);
    while (sum < wanted || parts[i] == 0) sum += parts[++i];
    quantiles.push_back(FromFixed(sorted_y_[i]));
  }
  return quantiles;
}

double Forest::Mean(const Row& row) const {
  double sum = 0;
  for (const Tree& tree : trees_) sum += tree.MeanOf(row);
  return sum / static_cast<double>(trees_.size());
}

}  // namespace priorityd::forecast
