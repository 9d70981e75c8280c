#include "storage/snapshot_store.h"

#include <gtest/gtest.h>

#include "storage/policy_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class SnapshotStoreTest : public StoreTest {
 protected:
  absl::StatusOr<int64_t> Append(const SnapshotRecord& snapshot) {
    absl::StatusOr<int64_t> generation = absl::UnknownError("not run");
    absl::Status status = Write([&](Transaction& transaction) {
      generation = SnapshotStore(transaction).Append(snapshot);
      return generation.status();
    });
    if (!status.ok()) return status;
    return generation;
  }
  std::optional<SnapshotRecord> Newest() {
    return Read([&](Transaction& t) { return SnapshotStore(t).Newest(cluster_.id); }).value();
  }
};

TEST_F(SnapshotStoreTest, GenerationsCountUpAndTheNewestIsRead) {
  EXPECT_EQ(Newest(), std::nullopt);
  EXPECT_EQ(Append({.cluster_id = cluster_.id, .computed_at = Microseconds(1)}).value(), 1);
  EXPECT_EQ(Append({.cluster_id = cluster_.id, .computed_at = Microseconds(2)}).value(), 2);
  EXPECT_EQ(Newest(), (SnapshotRecord{cluster_.id, 2, Microseconds(2), 0}));
}

TEST_F(SnapshotStoreTest, ThePolicyItNamesMustBeThere) {
  SnapshotRecord snapshot{.cluster_id = cluster_.id, .computed_at = Microseconds(1)};
  snapshot.policy_version = 1;
  EXPECT_EQ(Append(snapshot).status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_OK(Write([&](Transaction& transaction) {
    PolicyVersion policy{.cluster_id = cluster_.id, .files = {{"slurm.conf", ""}}};
    return PolicyStore(transaction).Append(policy).status();
  }));
  EXPECT_EQ(Append(snapshot).value(), 1);
  EXPECT_EQ(Newest()->policy_version, 1);
}

}  // namespace
}  // namespace priorityd::storage
