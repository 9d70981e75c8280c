// Small random association trees full of what is awkward: ties, `parent` shares,
// zero shares, zero usage, empty accounts, users under root, partitions.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_RANDOM_TREE_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_RANDOM_TREE_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::priority {

struct RandomTree {
  std::vector<Association> associations;     // By ascending id; ids are 1, 2, ...
  std::map<int64_t, std::string> own_usage;  // By id; exact decimals.
};

enum class Usage {
  kAnything,      // Few distinct values, many zeros: ties by chance.
  kProportional,  // Users' usage is their shares times 0.1: every tie rests on rounding.
  kDistinct,      // No ties but those of `parent` users, zero shares and zero usage.
};

RandomTree MakeRandomTree(std::mt19937* random, int size, Usage usage);

// The tree and what ComputeFairShare makes of it.
struct ComputedTree {
  AssociationTree tree;
  FairShare result;

  double fair_share(int64_t id) const { return result.fair_share[tree.FindId(id)]; }
};
ComputedTree Compute(const RandomTree& random_tree, const Policy& policy,
                     double linear_capacity = 0);

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_RANDOM_TREE_H_
