#include "storage/configuration/user_merge_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "storage/configuration/configuration_store.h"
#include "storage/grants/usage_pool_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UserMergeStoreTest : public StoreTest {
 protected:
  std::vector<UserMerge> List(Edition edition = Edition::kCurrent) {
    return Read([&](Transaction& t) { return UserMergeStore(t).List(cluster_.id, edition); })
        .value();
  }
  void Insert(const UserMerge& merge) {
    ASSERT_OK(
        Write([&](Transaction& t) { return UserMergeStore(t).Insert(cluster_.id, {merge}); }));
  }
  void Delete(const std::string& from) {
    ASSERT_OK(Write([&](Transaction& t) { return UserMergeStore(t).Delete(cluster_.id, from); }));
  }
  int64_t Revision() {
    return Read([&](Transaction& t) { return ConfigurationStore(t).Revision(cluster_.id); })
        .value();
  }
  std::vector<MergeFault> Faults(absl::Time deleted_at = Microseconds(0)) {
    return Read([&](Transaction& t) {
             return UserMergeStore(t).FindFaults(cluster_.id, deleted_at);
           })
        .value();
  }

  // A user of an account with this id.
  int64_t InsertUser(int64_t parent, const std::string& account, const std::string& user,
                     const std::string& partition = "") {
    int64_t id = 0;
    EXPECT_OK(Write([&](Transaction& transaction) {
      AssociationStore store(transaction);
      Association row;
      row.id = id = store.ReserveIds(1).value()[0];
      row.cluster_id = cluster_.id;
      row.parent_id = parent;
      row.account = account;
      row.user_name = user;
      row.partition = partition;
      return store.Insert({row});
    }));
    return id;
  }

  const UserMerge one_ = {"a.smith", "amy", Microseconds(7), "olga (munge)", "one person"};
  const UserMerge other_ = {"B", "ben", Microseconds(8), "", ""};
};

TEST_F(UserMergeStoreTest, RowsAreReadBackInBytewiseOrder) {
  Insert(one_);
  Insert(other_);
  EXPECT_THAT(List(), ElementsAre(other_, one_));
  Delete("B");
  EXPECT_THAT(List(), ElementsAre(one_));
}

TEST_F(UserMergeStoreTest, ThoseOfADomainAreSetAndDeletedAlone) {
  UserMerge of_domain = one_;
  of_domain.of_domain = true;
  const std::vector<UserMerge> both = {of_domain, other_};
  ASSERT_OK(Write([&](Transaction& t) { return UserMergeStore(t).Insert(cluster_.id, both); }));
  EXPECT_THAT(List(), ElementsAre(other_, of_domain));
  const int64_t before = Revision();
  ASSERT_OK(
      Write([&](Transaction& t) { return UserMergeStore(t).SetOfDomain(cluster_.id, "B", true); }));
  EXPECT_GT(Revision(), before);
  ASSERT_OK(Write([&](Transaction& t) {
    return UserMergeStore(t).SetOfDomain(cluster_.id, "a.smith", false);
  }));
  ASSERT_OK(Write([&](Transaction& t) { return UserMergeStore(t).DeleteOfDomain(cluster_.id); }));
  EXPECT_THAT(List(), ElementsAre(one_));
}

TEST_F(UserMergeStoreTest, FromTheFirstOfADomainOnNoProgramStartsThatDoesNotKnowIt) {
  const auto compatible_from = [&] {
    return Read([](Transaction& t) {
             return t.QueryOne(OnlyColumn<int32_t>,
                               "SELECT compatible_from FROM priorityd.schema_migration "
                               "WHERE version = 57");
           })
        .value();
  };
  Insert(one_);
  EXPECT_LT(compatible_from(), 57);
  ASSERT_OK(Write(
      [&](Transaction& t) { return UserMergeStore(t).SetOfDomain(cluster_.id, "a.smith", true); }));
  EXPECT_EQ(compatible_from(), 57);
}

TEST_F(UserMergeStoreTest, EachChangeIsARevisionAndThePublishedEditionIsOlder) {
  const int64_t before = Revision();
  Insert(one_);
  EXPECT_GT(Revision(), before);
  EXPECT_THAT(List(Edition::kPublished), IsEmpty());
  const auto publish = [&](Transaction& t) -> absl::Status {
    ConfigurationStore store(t);
    const auto revision = store.LockRevision(cluster_.id);
    return revision.ok() ? store.Publish(cluster_.id, *revision) : revision.status();
  };
  ASSERT_OK(Write(publish));
  EXPECT_THAT(List(Edition::kPublished), ElementsAre(one_));
  const int64_t merged = Revision();
  Delete("a.smith");
  EXPECT_GT(Revision(), merged);
  EXPECT_THAT(List(Edition::kPublished), ElementsAre(one_));
  ASSERT_OK(Write(publish));
  EXPECT_THAT(List(Edition::kPublished), IsEmpty());
}

TEST_F(UserMergeStoreTest, FromTheFirstMergeOnNoProgramStartsThatKnowsNone) {
  const auto compatible_from = [&] {
    return Read([](Transaction& t) {
             return t.QueryOne(OnlyColumn<int32_t>,
                               "SELECT compatible_from FROM priorityd.schema_migration "
                               "WHERE name = '0050_user_merges'");
           })
        .value();
  };
  EXPECT_LT(compatible_from(), 50);
  Insert(one_);
  EXPECT_EQ(compatible_from(), 50);
  Insert(other_);
  Delete("a.smith");
  Delete("B");
  EXPECT_EQ(compatible_from(), 50);
}

TEST_F(UserMergeStoreTest, PoolsOfBothUsersAreSettledAgainAndNoOthers) {
  const auto add = [&](const std::string& user) {
    return Write([&](Transaction& t) {
             return UsagePoolStore(t).Insert(cluster_.id, {0, {"a"}, user, "cpu", 5, false});
           })
        .value();
  };
  const int64_t from = add("a.smith"), into = add("amy"), account = add(""), zoe = add("zoe");
  const auto stale = [&] {
    std::vector<int64_t> ids;
    const auto pools = Read([&](Transaction& t) { return UsagePoolStore(t).List(cluster_.id); });
    for (const UsagePool& pool : *pools) {
      if (pool.is_stale) ids.push_back(pool.id);
    }
    return ids;
  };
  Insert(one_);
  EXPECT_THAT(stale(), ElementsAre(from, into));
  ASSERT_OK(Write([&](Transaction& t) {
    const std::vector<StoredPool> pools = {{from, 5}, {into, 5}, {account, 5}, {zoe, 5}};
    return UsagePoolStore(t).SetSettled(cluster_.id, pools, 6, true);
  }));
  EXPECT_THAT(stale(), IsEmpty());
  Delete("a.smith");
  EXPECT_THAT(stale(), ElementsAre(from, into));
}

TEST_F(UserMergeStoreTest, AMergedUserNeedsALikeAssociationInEachAccount) {
  const std::vector<int64_t> accounts = InsertAccounts({{"root", -1}, {"a", 0}, {"b", 0}});
  Insert(one_);
  EXPECT_THAT(Faults(), IsEmpty()) << "it has none at all";
  InsertUser(accounts[1], "a", "a.smith");
  InsertUser(accounts[2], "b", "a.smith", "p");
  InsertUser(accounts[2], "b", "a.smith", "q");
  InsertUser(accounts[1], "a", "amy", "p");
  EXPECT_THAT(Faults(), ElementsAre(MergeFault{"a.smith", "amy", "a", false},
                                    MergeFault{"a.smith", "amy", "b", false}))
      << "that of p takes no other usage; each account is named once";
  InsertUser(accounts[1], "a", "amy");
  InsertUser(accounts[2], "b", "amy", "p");
  EXPECT_THAT(Faults(), ElementsAre(MergeFault{"a.smith", "amy", "b", false})) << "q";
  InsertUser(accounts[2], "b", "amy");
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(UserMergeStoreTest, ADeletionIsAFaultOfItsTime) {
  const std::vector<int64_t> accounts = InsertAccounts({{"root", -1}, {"a", 0}});
  const int64_t from = InsertUser(accounts[1], "a", "a.smith");
  InsertUser(accounts[1], "a", "amy");
  Insert(one_);
  EXPECT_THAT(Faults(Microseconds(9)), IsEmpty());
  ASSERT_OK(Write([&](Transaction& t) {
    return AssociationStore(t).Delete(cluster_.id, {from}, Microseconds(9));
  }));
  EXPECT_THAT(Faults(Microseconds(9)), ElementsAre(MergeFault{"a.smith", "amy", "a", true}));
  EXPECT_THAT(Faults(Microseconds(10)), IsEmpty()) << "of an earlier change";
}

}  // namespace
}  // namespace priorityd::storage
