// Trees beside naive ones, which look for each split by all rows and all values.
#include "engine/forecast/tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "engine/forecast/scale.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

struct NaiveNode {
  int feature = -1;
  float threshold = 0;
  int children[2] = {-1, -1};
  double mean = 0;
};

// The same draws of chance as Tree::Grow: the sample first, then the features of each node, the
// second side of a split before the first.
class NaiveTree {
 public:
  NaiveTree(const std::vector<Example>& examples, const std::vector<uint32_t>& y, size_t leaf,
            double part, uint64_t seed)
      : examples_(examples), y_(y), leaf_(leaf), part_(part), random_(seed) {
    for (size_t feature = 0; feature < kFeatures; ++feature) {
      if (ValuesOf(feature, All()).size() > 1) features_.push_back(feature);
    }
    std::vector<size_t> sample;
    for (size_t i = 0; i < examples.size(); ++i) sample.push_back(random_.Below(examples.size()));
    Grow(sample);
  }

  double Mean(const Row& row) const {
    const NaiveNode* node = nodes_.data();
    while (node->feature >= 0) node = &nodes_[node->children[row[node->feature] > node->threshold]];
    return node->mean;
  }

 private:
  std::vector<size_t> All() const {
    std::vector<size_t> all(examples_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  std::set<float> ValuesOf(size_t feature, const std::vector<size_t>& rows) const {
    std::set<float> values;
    for (const size_t row : rows) values.insert(examples_[row].row[feature]);
    return values;
  }

  double SumOf(const std::vector<size_t>& rows) const {
    uint64_t sum = 0;
    for (const size_t row : rows) sum += y_[row];
    return static_cast<double>(sum);
  }

  double GainOf(const std::vector<size_t>& rows) const {
    return SumOf(rows) * SumOf(rows) / static_cast<double>(rows.size());
  }

  void Divide(const std::vector<size_t>& rows, size_t feature, float threshold,
              std::vector<size_t> sides[2]) const {
    sides[0].clear();
    sides[1].clear();
    for (const size_t row : rows) sides[examples_[row].row[feature] > threshold].push_back(row);
  }

  int Grow(const std::vector<size_t>& rows) {
    const int number = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    nodes_[number].mean = SumOf(rows) / static_cast<double>(rows.size()) / (1 << 20);
    std::set<uint32_t> outcomes;
    for (const size_t row : rows) outcomes.insert(y_[row]);
    if (rows.size() < 2 * leaf_ || outcomes.size() == 1) return number;
    double best = GainOf(rows) * (1 + 1e-12);
    NaiveNode split;
    const auto tried = static_cast<size_t>(std::ceil(part_ * features_.size()));
    std::vector<size_t> sides[2];
    for (size_t i = 0; i < tried; ++i) {
      std::swap(features_[i], features_[i + random_.Below(features_.size() - i)]);
      for (const float value : ValuesOf(features_[i], rows)) {
        Divide(rows, features_[i], value, sides);
        if (sides[0].size() < leaf_ || sides[1].size() < leaf_) continue;
        const double gain = GainOf(sides[0]) + GainOf(sides[1]);
        if (gain <= best) continue;
        best = gain;
        split.feature = static_cast<int>(features_[i]);
        split.threshold = value;
      }
    }
    if (split.feature < 0) return number;
    Divide(rows, split.feature, split.threshold, sides);
    nodes_[number].feature = split.feature;
    nodes_[number].threshold = split.threshold;
    const std::vector<size_t> left = sides[0], right = sides[1];
    const int second = Grow(right);
    const int first = Grow(left);
    nodes_[number].children[0] = first;
    nodes_[number].children[1] = second;
    return number;
  }

  const std::vector<Example>& examples_;
  const std::vector<uint32_t>& y_;
  const size_t leaf_;
  const double part_;
  Random random_;
  std::vector<size_t> features_;
  std::vector<NaiveNode> nodes_;
};

Row RandomRow(Random* random) {
  Row row{};
  for (size_t i = 0; i < 12; ++i) row[i * 7] = static_cast<float>(random->Below(i < 6 ? 5 : 100));
  return row;
}

TEST(TreeTest, ATreeIsThatOfANaiveGrower) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed * 31);
    std::vector<Example> examples;
    std::vector<uint32_t> y;
    for (int i = 0; i < 150; ++i) {
      examples.push_back({RandomRow(&random)});
      y.push_back(random.Below(1000) + static_cast<uint32_t>(examples[i].row[14] * 2000));
    }
    const BinnedRows rows(examples);
    Random draws(seed);
    const std::vector<float> weights(y.size(), 1);
    const Tree tree =
        Tree::Grow(rows, y, weights, {.smallest_leaf = 4, .part_features = .4}, &draws);
    const NaiveTree naive(examples, y, 4, .4, seed);
    // At the examples: between two values of a node's sample the thresholds may differ.
    for (const Example& example : examples) {
      EXPECT_NEAR(tree.MeanOf(example.row), naive.Mean(example.row), 1e-6) << "seed " << seed;
    }
  }
}

TEST(TreeTest, EachLeafHasEnoughExamplesAndEachOfTheSampleIsInOne) {
  Random random(5);
  std::vector<Example> examples;
  std::vector<uint32_t> y;
  for (int i = 0; i < 500; ++i) {
    examples.push_back({RandomRow(&random)});
    y.push_back(random.Below(1 << 20));
  }
  const BinnedRows rows(examples);
  const std::vector<float> weights(y.size(), 1);
  const Tree tree =
      Tree::Grow(rows, y, weights, {.smallest_leaf = 8, .part_features = .3}, &random);
  std::set<const void*> leaves;
  uint32_t all = 0;
  for (const Example& example : examples) {
    const auto& leaf = tree.LeafOf(example.row);
    if (!leaves.insert(&leaf).second) continue;
    float count = 0;
    for (const Tree::Member& member : leaf.members) {
      count += member.weight;
      EXPECT_EQ(&tree.LeafOf(examples[member.example].row), &leaf);
    }
    EXPECT_GE(count, 8);
    EXPECT_EQ(leaf.weight, count);
    all += static_cast<uint32_t>(count);
  }
  EXPECT_EQ(all, 500);
}

}  // namespace
}  // namespace priorityd::forecast
