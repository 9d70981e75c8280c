#include "server/domains/share_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/storage/store_test.h"

namespace priorityd::domains {
namespace {

// The domain `test` has the accounts a and b.
class ShareCacheTest : public storage::StoreTest {
 protected:
  void AppendNames(int64_t version) {
    ASSERT_TRUE(
        Write([&](storage::Transaction& t) {
          return storage::DomainStore(t).AppendNames(cluster_.id, version, {{"a", "b"}, {"", ""}});
        }).ok());
  }
  void AppendShares(int64_t generation, int64_t version, std::vector<double> fair_shares) {
    const storage::DomainShareRow row{.domain_id = cluster_.id,
                                      .generation = generation,
                                      .names_version = version,
                                      .fair_shares = std::move(fair_shares)};
    ASSERT_TRUE(Write([&](storage::Transaction& t) {
                  return storage::DomainStore(t).AppendShares(row);
                }).ok());
  }
  absl::StatusOr<SharesPtr> Find(int64_t generation) {
    return database_.Read([&](storage::Transaction& t) {
      return cache_.Find(t, {cluster_.id, generation});
    });
  }

  ShareCache cache_;
};

TEST_F(ShareCacheTest, SnapshotsOfOneTreeHaveTheSameNames) {
  AppendNames(1);
  AppendShares(1, 1, {0.25, 0.75});
  AppendShares(2, 1, {0.5, 1.0 / 3});
  AppendNames(3);
  AppendShares(3, 3, {1, 0});
  const SharesPtr first = Find(1).value();
  const SharesPtr second = Find(2).value();
  EXPECT_EQ(first->Find("b", ""), 0.75);
  EXPECT_EQ(second->Find("b", ""), 1.0 / 3);
  EXPECT_EQ(first->names(), second->names());
  EXPECT_NE(Find(3).value()->names(), second->names());
}

TEST_F(ShareCacheTest, TheNewestSharesAreReadOnce) {
  AppendNames(1);
  AppendShares(1, 1, {0.25, 0.75});
  EXPECT_EQ(Find(1).value(), Find(1).value());
}

TEST_F(ShareCacheTest, AForgottenDomainTakesNoMemory) {
  AppendNames(1);
  AppendShares(1, 1, {0.25, 0.75});
  std::weak_ptr<const priority::DomainShares> shares = Find(1).value();
  cache_.Forget("another");
  EXPECT_FALSE(shares.expired());
  cache_.Forget(cluster_.name);
  EXPECT_TRUE(shares.expired());
  shares = Find(1).value();
  EXPECT_FALSE(shares.expired());
  cache_.Forget();
  EXPECT_TRUE(shares.expired());
}

TEST_F(ShareCacheTest, SharesOfAnotherDatabaseAreNotThose) {
  AppendNames(1);
  AppendShares(1, 1, {0.25, 0.75});
  const SharesPtr shares = Find(1).value();
  const int64_t incarnation = Read([](storage::Transaction& t) -> absl::StatusOr<int64_t> {
                                return t.incarnation();
                              }).value();
  EXPECT_EQ(cache_.FindKept(incarnation, {cluster_.id, 1}), shares);
  EXPECT_EQ(cache_.FindKept(incarnation, {cluster_.id, 2}), nullptr);
  EXPECT_EQ(cache_.FindKept(incarnation + 1, {cluster_.id, 1}), nullptr);
}

TEST_F(ShareCacheTest, SharesOfAnotherNumberThanTheNamesAreAnError) {
  AppendNames(1);
  AppendShares(1, 1, {0.25});
  EXPECT_EQ(Find(1).status().code(), absl::StatusCode::kInternal);
}

TEST_F(ShareCacheTest, DeletedSharesAreAborted) {
  EXPECT_EQ(Find(1).status().code(), absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace priorityd::domains
