// Usage that is packed and put back.
#include "server/recalculation/kept_usage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::recalculation {
namespace {

absl::Time MicrosAt(int64_t micros) { return absl::FromUnixMicros(micros); }

storage::ClusterState State() {
  storage::ClusterState state;
  state.association_usage = {{.id = 3},
                             {.id = 5, .value = 1.0 / 3, .as_of = MicrosAt(-7)},
                             {.id = 6},
                             {.id = 9,
                              .value = 5e-324,
                              .as_of = MicrosAt(1'700'000'000'000'001),
                              .tres_seconds = {{1, 0.1}, {1001, 7}},
                              .wall_seconds = 2},
                             {.id = 100}};
  state.opening_usage = {{5, 12.5, MicrosAt(3)}, {100, 0, MicrosAt(4)}};
  state.deleted_associations = {{.id = 3, .parent_id = 1}, {.id = 6, .parent_id = 3}};
  return state;
}

TEST(KeptUsageTest, ComesBackAsItWas) {
  storage::ClusterState state = State();
  const KeptUsage kept(&state);
  EXPECT_EQ(state.association_usage.capacity(), 0);
  EXPECT_EQ(state.opening_usage.capacity(), 0);
  EXPECT_EQ(state.deleted_associations.capacity(), 0);
  ASSERT_TRUE(kept.PutBack(&state).ok());
  const storage::ClusterState before = State();
  EXPECT_EQ(state.association_usage, before.association_usage);
  EXPECT_EQ(state.opening_usage, before.opening_usage);
  ASSERT_EQ(state.deleted_associations.size(), 2);
  EXPECT_EQ(state.deleted_associations[1].id, 6);
  EXPECT_EQ(state.deleted_associations[1].parent_id, 3);
}

TEST(KeptUsageTest, ItsHashesAreThoseThatArePublished) {
  storage::ClusterState state = State();
  const storage::EntryHashes published = storage::PackUsage(state, {}).hashes;
  EXPECT_EQ(KeptUsage(&state).Hashes().value(), published);
}

TEST(KeptUsageTest, NothingComesBackAsNothing) {
  storage::ClusterState state;
  ASSERT_TRUE(KeptUsage(&state).PutBack(&state).ok());
  ASSERT_TRUE(KeptUsage().PutBack(&state).ok());
  EXPECT_TRUE(state.association_usage.empty());
  EXPECT_TRUE(KeptUsage().Hashes().value().empty());
}

}  // namespace
}  // namespace priorityd::recalculation
