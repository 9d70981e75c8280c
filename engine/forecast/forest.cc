#include "engine/forecast/forest.h"

#include <algorithm>
#include <utility>

#include "engine/forecast/binned_rows.h"
#include "engine/forecast/random.h"
#include "engine/forecast/scale.h"

namespace priorityd::forecast {
namespace {

constexpr double kLog2 = 0.693147180559945309417;

// A y and its weight.
using Weighted = std::pair<uint32_t, float>;

// The least y with at least the level's part of all weight up to it, by level.
std::vector<double> QuantilesOf(std::vector<Weighted> sample, absl::Span<const double> levels) {
  std::sort(sample.begin(), sample.end());
  std::vector<double> sums(sample.size());
  double sum = 0;
  for (size_t i = 0; i < sample.size(); ++i) sums[i] = sum += sample[i].second;
  std::vector<double> quantiles;
  for (const double level : levels) {
    // A part in a billion is for the rounding of the sums.
    const auto place = std::lower_bound(sums.begin(), sums.end(), level * sum * (1 - 1e-9));
    const size_t i = std::min<size_t>(place - sums.begin(), sample.size() - 1);
    quantiles.push_back(FromFixed(sample[i].first));
  }
  return quantiles;
}

}  // namespace

Forest Forest::Train(absl::Span<const Example> examples, const ForestOptions& options) {
  Forest forest;
  if (examples.empty()) return forest;
  forest.options_ = options;
  for (const Example& example : examples) forest.y_.push_back(ToFixed(ToScale(example.wait)));
  forest.ExtendWeights();
  const BinnedRows rows(examples);
  const Tree::Options of_trees = {static_cast<uint32_t>(options.smallest_leaf),
                                  options.part_features};
  Random random(options.seed);
  for (int i = 0; i < options.trees; ++i) {
    forest.trees_.push_back(Tree::Grow(rows, forest.y_, of_trees, &random));
  }
  return forest;
}

void Forest::Add(const Example& example) {
  if (empty()) return;
  const auto number = static_cast<uint32_t>(y_.size());
  y_.push_back(ToFixed(ToScale(example.wait)));
  ExtendWeights();
  for (Tree& tree : trees_) tree.Add(example.row, number);
}

void Forest::ExtendWeights() {
  const double factor = Exp(-kLog2 / options_.half_life);
  if (weights_.empty()) weights_.push_back(1);
  while (weights_.size() < y_.size()) {
    // The least weight that a float has with all its digits.
    weights_.push_back(std::max(static_cast<float>(weights_.back() * factor), 1e-30F));
  }
}

std::vector<double> Forest::Quantiles(const Row& row, absl::Span<const double> levels,
                                      double above) const {
  std::vector<Weighted> sample;
  const size_t newest = y_.size() - 1;
  for (const Tree& tree : trees_) {
    const std::vector<Tree::Member>& leaf = tree.LeafOf(row);
    const auto weight = [&](const Tree::Member& member) {
      return member.times * weights_[newest - member.example];
    };
    float sum = 0;
    for (const Tree::Member& member : leaf) sum += weight(member);
    for (const Tree::Member& member : leaf) {
      if (above >= 0 && FromFixed(y_[member.example]) <= above) continue;
      sample.emplace_back(y_[member.example], weight(member) / sum);
    }
  }
  if (sample.empty()) return {};
  return QuantilesOf(std::move(sample), levels);
}

double Forest::Mean(const Row& row) const {
  double sum = 0;
  for (const Tree& tree : trees_) sum += tree.MeanOf(row);
  return sum / static_cast<double>(trees_.size());
}

}  // namespace priorityd::forecast
