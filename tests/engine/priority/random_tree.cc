#include "tests/engine/priority/random_tree.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace priorityd::priority {
namespace {

int Draw(std::mt19937* random, int from, int to) {
  return std::uniform_int_distribution<int>(from, to)(*random);
}

bool OneIn(std::mt19937* random, int n) { return Draw(random, 1, n) == 1; }

std::optional<uint32_t> DrawShares(std::mt19937* random) {
  if (OneIn(random, 8)) return std::nullopt;
  if (OneIn(random, 8)) return 0;
  return Draw(random, 1, OneIn(random, 2) ? 3 : 20);
}

std::string DrawUsage(std::mt19937* random, Usage usage, const Association& a) {
  if (a.user.empty() && !OneIn(random, 8)) return "0";
  switch (usage) {
    case Usage::kAnything:
      return OneIn(random, 4) ? "0" : absl::StrCat(Draw(random, 1, 6) * 100);
    case Usage::kProportional:
      return absl::StrCat(a.raw_shares.value_or(1) / 10, ".", a.raw_shares.value_or(1) % 10);
    case Usage::kDistinct:
      return absl::StrCat(Draw(random, 1, 1000000), ".", Draw(random, 1, 9));
  }
  return "";
}

}  // namespace

RandomTree MakeRandomTree(std::mt19937* random, int size, Usage usage) {
  RandomTree made;
  std::vector<size_t> accounts = {0};
  for (int id = 1; id <= size; ++id) {
    Association a;
    a.id = id;
    if (id == 1) {
      a.account = "root";
    } else {
      const Association& parent =
          made.associations[accounts[Draw(random, 0, static_cast<int>(accounts.size()) - 1)]];
      a.parent_id = parent.id;
      a.raw_shares = DrawShares(random);
      if (OneIn(random, 3)) {
        a.account = absl::StrCat("account", id);
        accounts.push_back(made.associations.size());
      } else {
        a.account = parent.account;
        a.user = absl::StrCat("user", id);
        if (OneIn(random, 10)) a.partition = "debug";
      }
    }
    made.own_usage[id] = DrawUsage(random, usage, a);
    made.associations.push_back(std::move(a));
  }
  return made;
}

ComputedTree Compute(const RandomTree& random_tree, const Policy& policy, double linear_capacity) {
  auto tree = AssociationTree::Build(random_tree.associations);
  EXPECT_TRUE(tree.ok()) << tree.status();
  std::vector<double> own_usage(tree->size());
  for (const auto& [id, decimal] : random_tree.own_usage) {
    EXPECT_TRUE(absl::SimpleAtod(decimal, &own_usage[tree->FindId(id)]));
  }
  FairShare result = ComputeFairShare(*tree, policy, std::move(own_usage), linear_capacity);
  return {*std::move(tree), std::move(result)};
}

}  // namespace priorityd::priority
