#include "storage/ledger/usage_void_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/configuration/cluster_store.h"
#include "storage/ledger/ledger_scan.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class UsageVoidStoreTest : public StoreTest {};

VoidFilter EveryField() {
  return {.sources = {"s", "t"},
          .job_ids = {"7"},
          .users = {"amy"},
          .accounts = {"a", "b"},
          .ended_from = absl::FromUnixSeconds(1),
          .ended_before = absl::FromUnixSeconds(2),
          .recorded_from = absl::FromUnixSeconds(3),
          .recorded_before = absl::InfiniteFuture()};
}

TEST_F(UsageVoidStoreTest, AVoidIsReadBackAndItsProgressToo) {
  const UsageVoid made{.filter = EveryField(), .last_seq = 77, .state = "voiding"};
  const auto read = Write([&](Transaction& t) -> absl::StatusOr<UsageVoid> {
    UsageVoidStore store(t);
    EXPECT_EQ(*store.Insert(cluster_.id, made), 1);
    EXPECT_EQ(*store.Insert(cluster_.id, made), 2);
    auto row = store.Lock(cluster_.id, 2);
    if (!row.ok()) return row.status();
    UsageVoid expected = made;
    expected.id = 2;
    EXPECT_EQ(**row, expected);
    expected.state = "restoring";
    expected.done_seq = 78;
    expected.voided_records = 9;
    expected.restored_records = 8;
    expected.voided_usage = 1.5;
    if (absl::Status s = store.Update(cluster_.id, expected); !s.ok()) return s;
    EXPECT_EQ(**store.Lock(cluster_.id, 2), expected);
    EXPECT_EQ((*store.Lock(cluster_.id, 1))->state, "voiding");
    return **row;
  });
  ASSERT_OK(read.status());
}

TEST_F(UsageVoidStoreTest, AnUnknownVoidIsNone) {
  const auto found = Write([&](Transaction& t) { return UsageVoidStore(t).Lock(cluster_.id, 1); });
  ASSERT_OK(found.status());
  EXPECT_FALSE(found->has_value());
}

TEST(UsageVoidStoreNamesTest, RecordIdsNameTheVoidAndTheRecord) {
  EXPECT_EQ(VoidRecordId(3, 1234), "usage-void:3:1234");
  EXPECT_EQ(RestoreRecordId(3, 1234), "usage-restore:3:1234");
}

}  // namespace
}  // namespace priorityd::storage
