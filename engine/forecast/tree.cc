#include "engine/forecast/tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/forecast/scale.h"

namespace priorityd::forecast {

class TreeGrower {
 public:
  TreeGrower(const BinnedRows& rows, absl::Span<const uint32_t> y, absl::Span<const float> weights,
             const Tree::Options& options, Random* random)
      : rows_(rows), weights_(weights), options_(options), random_(*random) {
    for (size_t feature = 0; feature < kFeatures; ++feature) {
      if (!rows.Cuts(feature).empty()) features_.push_back(feature);
    }
    Sample(y);
    bins_.resize(items_.size());
  }

  Tree Grow() && {
    tree_.nodes_.emplace_back();
    std::vector<Part> parts = {{0, 0, items_.size()}};
    while (!parts.empty()) {
      const Part part = parts.back();
      parts.pop_back();
      const std::optional<Split> split = BestSplit(part);
      if (!split.has_value()) {
        MakeLeaf(part);
        continue;
      }
      const size_t middle = Divide(part, *split);
      const auto next = static_cast<uint32_t>(tree_.nodes_.size());
      tree_.nodes_[part.node] = {rows_.Cuts(split->feature)[split->bin],
                                 static_cast<int32_t>(split->feature), next};
      tree_.nodes_.resize(next + 2);
      parts.push_back({next, part.begin, middle});
      parts.push_back({next + 1, middle, part.end});
    }
    return std::move(tree_);
  }

 private:
  // A row of the sample.
  struct Item {
    uint32_t example = 0;
    uint32_t times = 0;
    uint64_t sum = 0;  // Of y, as often as the sample has it.
  };
  // The items of a node.
  struct Part {
    uint32_t node = 0;
    size_t begin = 0;
    size_t end = 0;
  };
  struct Split {
    size_t feature = 0;
    size_t bin = 0;  // The last one of the first side.
  };
  struct Sum {
    uint64_t y = 0;
    uint32_t count = 0;
  };

  void Sample(absl::Span<const uint32_t> y) {
    const auto size = static_cast<uint32_t>(rows_.size());
    std::vector<uint32_t> times(size);
    for (uint32_t i = 0; i < size; ++i) ++times[random_.Below(size)];
    for (uint32_t i = 0; i < size; ++i) {
      if (times[i] > 0) items_.push_back({i, times[i], uint64_t{times[i]} * y[i]});
    }
  }

  Sum SumOf(const Part& part) const {
    Sum sum;
    for (size_t i = part.begin; i < part.end; ++i) {
      sum.y += items_[i].sum;
      sum.count += items_[i].times;
    }
    return sum;
  }

  // The variance that remains is least where this is greatest: squares of sums by counts.
  static double Gain(const Sum& sum) {
    const auto y = static_cast<double>(sum.y);
    return y * y / sum.count;
  }

  bool AllEqual(const Part& part) const {
    const auto first = items_[part.begin].sum / items_[part.begin].times;
    return std::all_of(items_.begin() + part.begin, items_.begin() + part.end,
                       [&](const Item& item) { return item.sum / item.times == first; });
  }

  std::optional<Split> BestSplit(const Part& part) {
    const Sum all = SumOf(part);
    if (all.count < 2 * options_.smallest_leaf || AllEqual(part)) return std::nullopt;
    std::optional<Split> best;
    double best_gain = Gain(all) * (1 + 1e-12);
    const auto count = static_cast<uint32_t>(features_.size());
    const auto tried = static_cast<uint32_t>(std::ceil(options_.part_features * count));
    for (uint32_t i = 0; i < tried; ++i) {
      std::swap(features_[i], features_[i + random_.Below(count - i)]);
      LookAt(features_[i], part, all, &best_gain, &best);
    }
    return best;
  }

  // Takes the best split by this feature if it is better than the best one so far.
  void LookAt(size_t feature, const Part& part, const Sum& all, double* best_gain,
              std::optional<Split>* best) {
    const auto [lowest, highest] = FillHistogram(rows_.Column(feature), part);
    Sum left;
    for (size_t bin = lowest; bin < highest; ++bin) {
      if (histogram_[bin].count == 0) continue;
      left.y += histogram_[bin].y;
      left.count += histogram_[bin].count;
      if (left.count < options_.smallest_leaf) continue;
      const Sum right = {all.y - left.y, all.count - left.count};
      if (right.count < options_.smallest_leaf) break;
      const double gain = Gain(left) + Gain(right);
      if (gain <= *best_gain) continue;
      *best_gain = gain;
      *best = {feature, bin};
    }
  }

  // Returns the lowest and the highest bin in it.
  std::pair<size_t, size_t> FillHistogram(const uint8_t* column, const Part& part) {
    uint8_t lowest = 255, highest = 0;
    for (size_t i = part.begin; i < part.end; ++i) {
      const uint8_t bin = bins_[i] = column[items_[i].example];
      lowest = std::min(lowest, bin);
      highest = std::max(highest, bin);
    }
    if (lowest == highest) return {lowest, highest};
    std::fill(histogram_.begin() + lowest, histogram_.begin() + highest + 1, Sum{});
    for (size_t i = part.begin; i < part.end; ++i) {
      Sum& sum = histogram_[bins_[i]];
      sum.y += items_[i].sum;
      sum.count += items_[i].times;
    }
    return {lowest, highest};
  }

  // Returns where the second side begins. Both keep their order.
  size_t Divide(const Part& part, const Split& split) {
    const uint8_t* column = rows_.Column(split.feature);
    const auto middle =
        std::stable_partition(items_.begin() + part.begin, items_.begin() + part.end,
                              [&](const Item& item) { return column[item.example] <= split.bin; });
    return middle - items_.begin();
  }

  void MakeLeaf(const Part& part) {
    const Sum sum = SumOf(part);
    tree_.nodes_[part.node].next = static_cast<uint32_t>(tree_.leaves_.size());
    tree_.means_.push_back(static_cast<float>(FromFixed(1) * sum.y / sum.count));
    Tree::Leaf& leaf = tree_.leaves_.emplace_back();
    leaf.members.reserve(part.end - part.begin);
    for (size_t i = part.begin; i < part.end; ++i) {
      const float weight = static_cast<float>(items_[i].times) * weights_[items_[i].example];
      leaf.members.push_back({items_[i].example, weight});
      leaf.weight += weight;
    }
  }

  const BinnedRows& rows_;
  const absl::Span<const float> weights_;
  const Tree::Options options_;
  Random& random_;
  std::vector<size_t> features_;  // The features with several values, in random order.
  std::vector<Item> items_;
  std::vector<uint8_t> bins_;  // By item, of the feature that is looked at.
  std::array<Sum, BinnedRows::kMostBins> histogram_;
  Tree tree_;
};

Tree Tree::Grow(const BinnedRows& rows, absl::Span<const uint32_t> y,
                absl::Span<const float> weights, const Options& options, Random* random) {
  return TreeGrower(rows, y, weights, options, random).Grow();
}

}  // namespace priorityd::forecast
