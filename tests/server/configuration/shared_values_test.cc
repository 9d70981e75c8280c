#include "server/configuration/shared_values.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::configuration {
namespace {

struct Text {
  std::string text;
  size_t Hash() const { return text.size(); }  // Collides.
  bool operator==(const Text&) const = default;
};

TEST(SharedValuesTest, EqualValuesAreOneAsLongAsSomebodyHoldsIt) {
  SharedValues<Text> values;
  auto first = values.Share({"tree"});
  EXPECT_EQ(values.Share({"tree"}), first);
  const std::weak_ptr<const Text> seen = first;
  first.reset();
  EXPECT_TRUE(seen.expired());
  EXPECT_EQ(values.Share({"tree"})->text, "tree");
}

TEST(SharedValuesTest, OthersOfTheSameHashAreNotMixedUp) {
  SharedValues<Text> values;
  const auto tree = values.Share({"tree"});
  const auto leaf = values.Share({"leaf"});
  EXPECT_EQ(tree->text, "tree");
  EXPECT_EQ(leaf->text, "leaf");
  EXPECT_EQ(values.Share({"leaf"}), leaf);
}

TEST(SharedValuesTest, WhatNobodyHoldsIsForgotten) {
  SharedValues<Text> values;
  std::vector<std::shared_ptr<const Text>> held;
  for (size_t i = 0; i < 10'000; ++i) {
    auto value = values.Share({std::string(i, 'x')});
    if (i % 1000 == 0) held.push_back(std::move(value));
  }
  EXPECT_LT(values.size(), 200);
  EXPECT_EQ(values.Share({std::string(9000, 'x')}), held.back());
}

}  // namespace
}  // namespace priorityd::configuration
