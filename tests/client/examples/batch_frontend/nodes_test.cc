// Who fits on the nodes, and what is free afterwards.
#include "client/examples/batch_frontend/nodes.h"

#include <gtest/gtest.h>

#include <vector>

namespace priorityd::batch_frontend {
namespace {

TEST(NodesTest, TheFirstNodesWithEnoughFreeCpusAreTaken) {
  const auto allocation = FirstFit({1, 4, 2, 4, 4}, {.nodes = 2, .cpus_per_node = 3});
  ASSERT_TRUE(allocation.has_value());
  EXPECT_EQ(allocation->nodes, (std::vector<int>{1, 3}));
  EXPECT_EQ(allocation->cpus_per_node, 3);
}

TEST(NodesTest, CpusOfSeveralNodesDoNotAddUp) {
  EXPECT_FALSE(FirstFit({2, 2, 2}, {.nodes = 1, .cpus_per_node = 3}).has_value());
  EXPECT_FALSE(FirstFit({4, 2}, {.nodes = 2, .cpus_per_node = 3}).has_value());
}

TEST(NodesTest, WhatIsTakenIsNotFreeUntilItIsReleased) {
  const FreeCpus all = {4, 4, 4};
  FreeCpus free = all;
  const auto allocation = FirstFit(free, {.nodes = 2, .cpus_per_node = 3});
  ASSERT_TRUE(allocation.has_value());
  Allocate(*allocation, &free);
  EXPECT_EQ(free, (FreeCpus{1, 1, 4}));
  EXPECT_FALSE(FirstFit(free, {.nodes = 2, .cpus_per_node = 2}).has_value());
  Release(*allocation, &free);
  EXPECT_EQ(free, all);
}

}  // namespace
}  // namespace priorityd::batch_frontend
