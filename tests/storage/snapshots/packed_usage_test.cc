#include "storage/snapshots/packed_usage.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

ClusterState Usage() {
  ClusterState state;
  for (const double value : AwkwardDoubles()) {
    const auto id = static_cast<int64_t>(3 * state.association_usage.size() + 1);
    state.association_usage.push_back({.id = id,
                                       .value = value,
                                       .as_of = Microseconds(-7 + 1'000'000'007 * id),
                                       .tres_seconds = {{1, value}, {1001, -value}},
                                       .wall_seconds = value / 3});
    state.opening_usage.push_back({id, value, Microseconds(id)});
  }
  state.association_usage[2].tres_seconds.clear();
  state.association_usage[3].tres_seconds = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {1001, 6}};
  state.deleted_associations = {{.id = 40, .parent_id = 1}, {.id = 41, .parent_id = 40}};
  return state;
}

void ExpectSame(const ClusterState& a, const ClusterState& b) {
  EXPECT_EQ(a.association_usage, b.association_usage);
  EXPECT_EQ(a.opening_usage, b.opening_usage);
  EXPECT_EQ(a.deleted_associations, b.deleted_associations);
}

TEST(PackedUsageTest, AllUsageComesBackBitForBit) {
  const ClusterState state = Usage();
  const PackedUsage packed = PackUsage(state, {});
  EXPECT_EQ(packed.entries, 16);
  ClusterState unpacked;
  ASSERT_OK(ApplyUsage(packed.parts, &unpacked));
  ExpectSame(unpacked, state);
}

TEST(PackedUsageTest, ARowWithoutUsageIsLeftOut) {
  ClusterState state;
  state.association_usage.push_back({.id = 1});
  EXPECT_EQ(PackUsage(state, {}).entries, 0);
}

TEST(PackedUsageTest, OnlyWhatChangedIsPacked) {
  ClusterState state = Usage();
  ClusterState replica = state;
  const EntryHashes published = PackUsage(state, {}).hashes;
  EXPECT_TRUE(PackUsage(state, published).parts.empty());

  state.association_usage[3].value += 1;
  state.association_usage.erase(state.association_usage.begin());
  state.association_usage.push_back({.id = 1000, .value = 5, .as_of = Microseconds(1)});
  state.opening_usage[6].as_of += absl::Microseconds(1);
  state.deleted_associations[1].parent_id = 1;
  const PackedUsage changes = PackUsage(state, published);
  EXPECT_EQ(changes.entries, 5);
  ASSERT_OK(ApplyUsage(changes.parts, &replica));
  ExpectSame(replica, state);
  EXPECT_EQ(changes.hashes, PackUsage(state, {}).hashes);
}

TEST(PackedUsageTest, TheWholeIsThatOfAFirstPublicationWhateverChanged) {
  ClusterState state = Usage();
  const EntryHashes published = PackUsage(state, {}).hashes;
  state.association_usage[3].value += 1;
  state.association_usage.erase(state.association_usage.begin());
  EXPECT_EQ(PackUsage(state, published).whole, PackUsage(state, {}).parts);
  EXPECT_EQ(PackWhole(state), PackUsage(state, {}).parts);
}

TEST(PackedUsageTest, TheLastOfManyPartsHolds) {
  ClusterState state = Usage();
  PackedUsage packed = PackUsage(state, {});
  std::vector<std::string> parts = packed.parts;
  for (int round = 1; round <= 5; ++round) {
    state.association_usage[round].value = round;
    state.opening_usage[0].value = round;
    packed = PackUsage(state, packed.hashes);
    parts.insert(parts.end(), packed.parts.begin(), packed.parts.end());
  }
  ClusterState unpacked;
  ASSERT_OK(ApplyUsage(parts, &unpacked));
  ExpectSame(unpacked, state);
}

TEST(PackedUsageTest, WhoReadsTheHashesFindsTheSameChanges) {
  ClusterState state = Usage();
  std::vector<std::string> parts = PackUsage(state, {}).parts;
  EntryHashes hashes = PackUsage(state, {}).hashes;
  state.association_usage.erase(state.association_usage.begin() + 1);
  state.opening_usage[0].value = 7;
  PackedUsage changes = PackUsage(state, hashes);
  parts.insert(parts.end(), changes.parts.begin(), changes.parts.end());
  EntryHashes read;
  ASSERT_OK(ApplyUsage(parts, &read));
  EXPECT_EQ(read, changes.hashes);
}

TEST(PackedUsageTest, ManyEntriesAreSeveralParts) {
  ClusterState state;
  for (int64_t id = 1; id <= 20'000; ++id) {
    state.association_usage.push_back({.id = 7 * id, .value = 1, .as_of = Microseconds(id)});
  }
  const PackedUsage packed = PackUsage(state, {});
  EXPECT_GT(packed.parts.size(), 1u);
  ClusterState unpacked;
  ASSERT_OK(ApplyUsage(packed.parts, &unpacked));
  ExpectSame(unpacked, state);
}

TEST(PackedUsageTest, BytesThatAreCutOffAreAnError) {
  const std::string part = PackUsage(Usage(), {}).parts[0];
  size_t errors = 0;
  for (size_t size = 1; size < part.size(); ++size) {
    ClusterState state;
    if (!ApplyUsage({part.substr(0, size)}, &state).ok()) ++errors;
  }
  // All but those that end with an entry.
  EXPECT_EQ(errors, part.size() - 1 - 15);
}

}  // namespace
}  // namespace priorityd::storage
