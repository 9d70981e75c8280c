#include "engine/priority/fair_share/usage_column.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/engine/priority/random_tree.h"

namespace priorityd::priority {
namespace {

TEST(UsageColumnTest, WhatIsMissingIsZeroAndWhatComesTwiceAddsUp) {
  const UsageColumn few({{900, 2}, {7, 1}, {900, 3}}, 1000);
  EXPECT_EQ(few[7], 1);
  EXPECT_EQ(few[900], 5);
  EXPECT_EQ(few[8], 0);
  const UsageColumn many({{2, 2}, {0, 1}, {2, 3}}, 3);
  EXPECT_EQ(many[0], 1);
  EXPECT_EQ(many[1], 0);
  EXPECT_EQ(many[2], 5);
  EXPECT_EQ(UsageColumn()[5], 0);
}

TEST(UsageColumnTest, TakesTheMemoryOfWhatIsUsed) {
  const UsageColumn few({{7, 1}, {99'000, 2}}, 100'000);
  EXPECT_LT(few.bytes(), 200u);
  const UsageColumn all(std::vector<double>(100'000, 1.0));
  EXPECT_LT(all.bytes(), 100'000 * sizeof(double) + 200);
}

// From one association to all of them.
TEST(UsageColumnTest, RolledUpItIsBitForBitTheSameHoweverItIsKept) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int size = 2 + static_cast<int>(random() % 300);
    const AssociationTree tree =
        Compute(MakeRandomTree(&random, size, Usage::kAnything), Policy()).tree;
    std::vector<double> plain(tree.size());
    UsageColumn::Amounts amounts;
    for (int used = static_cast<int>(random() % tree.size()) / (1 + round % 20); used >= 0;
         --used) {
      const auto i = static_cast<AssociationIndex>(random() % tree.size());
      if (plain[i] != 0) continue;
      amounts.emplace_back(i, plain[i] = 0.1 * static_cast<double>(1 + random() % 1000));
    }
    UsageColumn column(amounts, tree.size());
    column.RollUp(tree);
    tree.RollUp(absl::MakeSpan(plain));
    for (AssociationIndex i = 0; i < tree.size(); ++i) ASSERT_EQ(column[i], plain[i]) << i;
    std::vector<double> visited(tree.size());
    column.ForEach([&](AssociationIndex i, double amount) { visited[i] = amount; });
    EXPECT_EQ(visited, plain);
  }
}

}  // namespace
}  // namespace priorityd::priority
