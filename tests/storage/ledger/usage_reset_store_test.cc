#include "storage/ledger/usage_reset_store.h"

#include <gtest/gtest.h>

#include <vector>

#include "storage/configuration/association_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class UsageResetStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](Transaction& t) {
      AssociationStore store(t);
      root_ = store.ReserveIds(1).value()[0];
      return store.Insert({{.id = root_, .cluster_id = cluster_.id, .account = "root"}});
    }));
  }

  absl::Status Append(int64_t id, absl::Time at) {
    return Write([&](Transaction& t) { return UsageResetStore(t).Append(cluster_.id, {id}, at); });
  }

  int64_t root_ = 0;
};

TEST_F(UsageResetStoreTest, TheLastResetOfAnAssociationIsListed) {
  ASSERT_OK(Append(root_, Microseconds(7)));
  ASSERT_OK(Append(root_, Microseconds(5)));
  EXPECT_EQ(Read([&](Transaction& t) { return UsageResetStore(t).List(cluster_.id); }).value(),
            (std::vector<UsageReset>{{root_, Microseconds(7)}}));
}

TEST_F(UsageResetStoreTest, TheSameResetAgainChangesNothing) {
  ASSERT_OK(Append(root_, Microseconds(7)));
  ASSERT_OK(Append(root_, Microseconds(7)));
  EXPECT_EQ(
      Read([](Transaction& t) { return t.Execute("SELECT FROM priorityd.usage_reset"); }).value(),
      1);
}

TEST_F(UsageResetStoreTest, AnUnknownAssociationIsRefused) {
  EXPECT_EQ(Append(root_ + 1, Microseconds(7)).code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace priorityd::storage
