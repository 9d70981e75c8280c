#include "server/configuration/living_ancestors.h"

#include <gtest/gtest.h>

namespace priorityd::configuration {
namespace {

storage::Association Deleted(int64_t id, int64_t parent_id) {
  return {.id = id, .parent_id = parent_id};
}

TEST(LivingAncestorsTest, ALivingAssociationKeepsItsUsage) {
  EXPECT_EQ(LivingAncestors({}).Of(7), 7);
  EXPECT_EQ(LivingAncestors({Deleted(8, 7)}).Of(7), 7);
}

TEST(LivingAncestorsTest, ADeletedOneLeavesItToTheNearestLivingAncestor) {
  const LivingAncestors living({Deleted(9, 8), Deleted(8, 7), Deleted(5, 1)});
  EXPECT_EQ(living.Of(9), 7);
  EXPECT_EQ(living.Of(8), 7);
  EXPECT_EQ(living.Of(5), 1);
}

}  // namespace
}  // namespace priorityd::configuration
