// A regression tree that keeps the examples of its leaves.
#ifndef PRIORITYD_ENGINE_FORECAST_TREE_H_
#define PRIORITYD_ENGINE_FORECAST_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/forecast/binned_rows.h"
#include "engine/forecast/features.h"
#include "engine/forecast/random.h"

namespace priorityd::forecast {

class Tree {
 public:
  // An example of a leaf.
  struct Member {
    uint32_t example = 0;
    float weight = 1;  // Its own times how often the sample has it.
  };
  struct Leaf {
    std::vector<Member> members;
    float weight = 0;  // Of all of them.
  };

  struct Options {
    uint32_t smallest_leaf = 8;  // Examples, each as often as the sample has it.
    // Of the features with several values, that each split looks at; above 0 to 1.
    double part_features = .25;
  };

  // Grows on a bootstrap sample of the rows (as many, drawn with replacement), by splits that leave
  // the least variance of y, as long as both sides have a leaf's size. `y`: by row, as ToFixed
  // gives it. `weights`: by row; only of the members. REQUIRES: `rows` is not empty.
  static Tree Grow(const BinnedRows& rows, absl::Span<const uint32_t> y,
                   absl::Span<const float> weights, const Options& options, Random* random);

  const Leaf& LeafOf(const Row& row) const { return leaves_[LeafNumber(row)]; }
  // The mean of y of the leaf as it was grown, on the scale of ToScale.
  double MeanOf(const Row& row) const { return means_[LeafNumber(row)]; }
  // The leaf of the row has one example more.
  void Add(const Row& row, const Member& member) {
    Leaf& leaf = leaves_[LeafNumber(row)];
    leaf.members.push_back(member);
    leaf.weight += member.weight;
  }

 private:
  friend class TreeGrower;

  struct Node {
    float threshold = 0;   // A row with at most this goes to `next`, any other to `next` + 1.
    int32_t feature = -1;  // -1: `next` is the number of a leaf.
    uint32_t next = 0;
  };

  size_t LeafNumber(const Row& row) const {
    const Node* node = nodes_.data();
    while (node->feature >= 0) {
      node = &nodes_[node->next + (row[node->feature] <= node->threshold ? 0 : 1)];
    }
    return node->next;
  }

  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  std::vector<float> means_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_TREE_H_
