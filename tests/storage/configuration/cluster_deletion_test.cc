#include "storage/configuration/cluster_deletion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/snapshots/snapshot_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

constexpr char kTables[] =
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'cluster_id' "
    "WHERE n.nspname = 'priorityd' AND c.relkind IN ('r', 'p') ORDER BY c.relname COLLATE \"C\"";

class ClusterDeletionTest : public StoreTest {
 protected:
  int64_t DeleteSome(int64_t most) {
    return *Write([&](Transaction& t) { return ClusterDeletion(t).DeleteSome(cluster_.id, most); });
  }
  void Hide(absl::Duration grace = absl::Hours(24)) {
    ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
      if (absl::Status s = ClusterStore(t).Lock(cluster_.id); !s.ok()) return s;
      return ClusterDeletion(t).Hide(cluster_.id, grace).status();
    }));
  }
  void Begin() {
    Hide();
    ASSERT_TRUE(*Write([&](Transaction& t) { return ClusterDeletion(t).Begin(cluster_.id); }));
  }
  absl::StatusOr<bool> Restore() {
    return Write([&](Transaction& t) { return ClusterDeletion(t).Restore(cluster_.id); });
  }
  // A tree of 3, one of which stands below a later one.
  void AddTree() {
    ASSERT_OK(Write([&](Transaction& t) {
      return t.ExecuteScript(
          "INSERT INTO priorityd.association (id, cluster_id, parent_id, account) "
          "SELECT 1001, id, NULL, 'root' FROM priorityd.cluster; "
          "INSERT INTO priorityd.association (id, cluster_id, parent_id, account) "
          "SELECT 1003, id, 1001, 'b' FROM priorityd.cluster; "
          "INSERT INTO priorityd.association (id, cluster_id, parent_id, account) "
          "SELECT 1002, id, 1003, 'a' FROM priorityd.cluster");
    }));
  }
};

TEST_F(ClusterDeletionTest, EveryTableWithRowsOfClustersIsInTheList) {
  const auto tables =
      Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kTables); });
  std::vector<std::string> listed = ClusterDeletion::Tables();
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(*tables, listed);
}

TEST_F(ClusterDeletionTest, AfterItBeganNobodyFindsTheClusterByItsName) {
  Begin();
  EXPECT_EQ(*Read([&](Transaction& t) { return ClusterStore(t).Find(cluster_.name); }),
            std::nullopt);
  EXPECT_TRUE(Read([&](Transaction& t) { return ClusterStore(t).List(); })->empty());
  // Nor by the name that it has meanwhile.
  const std::string meanwhile = absl::StrCat("\x01", cluster_.id);
  EXPECT_TRUE(Read([&](Transaction& t) {
                return SnapshotStore(t).StandingsOf({cluster_.name, meanwhile});
              })->empty());
  for (const bool shared : {false, true}) {
    const absl::Status locked = Write([&](Transaction& t) {
      return shared ? ClusterStore(t).LockShared(cluster_.id) : ClusterStore(t).Lock(cluster_.id);
    });
    EXPECT_TRUE(absl::IsNotFound(locked)) << locked;
  }
  const auto begun =
      Read([&](Transaction& t) { return ClusterDeletion(t).FindHidden(cluster_.name); });
  EXPECT_EQ(*begun, std::vector<int32_t>{cluster_.id});
  // The name is free again.
  EXPECT_NE(Write([&](Transaction& t) { return ClusterStore(t).FindOrCreate(cluster_.name); })->id,
            cluster_.id);
}

TEST_F(ClusterDeletionTest, ATreeGoesLeafByLeafWhateverTheOrderOfItsIds) {
  AddTree();
  Begin();
  int64_t deleted = 0;
  for (int64_t some = 1; some > 0; deleted += some) some = DeleteSome(1);
  EXPECT_GE(deleted, 3);
  ASSERT_OK(Write([&](Transaction& t) { return ClusterDeletion(t).Finish(cluster_.id); }));
  const auto begun =
      Read([&](Transaction& t) { return ClusterDeletion(t).FindHidden(cluster_.name); });
  EXPECT_TRUE(begun->empty());
}

TEST_F(ClusterDeletionTest, AHiddenOneIsWholeAndIsRestoredUntilItsTime) {
  AddTree();
  const absl::Time before = absl::Now();
  Hide();
  const auto hidden = Read([](Transaction& t) { return ClusterDeletion(t).ListRestorable(); });
  ASSERT_EQ(hidden->size(), 1u);
  EXPECT_EQ((*hidden)[0].cluster.name, cluster_.name);
  EXPECT_GE((*hidden)[0].restorable_until, before + absl::Hours(24) - absl::Seconds(1));
  EXPECT_TRUE(Read([](Transaction& t) { return ClusterDeletion(t).ListBegun(); })->empty());
  EXPECT_TRUE(*Restore());
  const auto restored = Read([&](Transaction& t) { return ClusterStore(t).Find(cluster_.name); });
  ASSERT_TRUE(restored->has_value());
  EXPECT_EQ(**restored, cluster_);
  EXPECT_EQ(*Read([&](Transaction& t) { return AssociationStore(t).Count(cluster_.id); }), 3);
  EXPECT_FALSE(*Restore());
}

TEST_F(ClusterDeletionTest, AfterItsTimeItIsListedForDeletionAndNotRestored) {
  Hide(absl::ZeroDuration());
  EXPECT_TRUE(Read([](Transaction& t) { return ClusterDeletion(t).ListRestorable(); })->empty());
  const auto begun = Read([](Transaction& t) { return ClusterDeletion(t).ListBegun(); });
  ASSERT_EQ(begun->size(), 1u);
  EXPECT_EQ((*begun)[0].name, cluster_.name);
  EXPECT_FALSE(*Restore());
}

TEST_F(ClusterDeletionTest, WhatIsBeingDeletedIsNotRestored) {
  Begin();
  EXPECT_FALSE(*Restore());
}

TEST_F(ClusterDeletionTest, ATakenNameIsNotGivenBack) {
  Hide();
  ASSERT_OK(Write([&](Transaction& t) { return ClusterStore(t).FindOrCreate(cluster_.name); }));
  EXPECT_TRUE(absl::IsAlreadyExists(Restore().status()));
  EXPECT_EQ(Read([](Transaction& t) { return ClusterDeletion(t).ListRestorable(); })->size(), 1u);
}

TEST_F(ClusterDeletionTest, FinishTakesWhatCameBesideTheSteps) {
  Begin();
  while (DeleteSome(100) > 0) {
  }
  AddTree();
  ASSERT_OK(Write([&](Transaction& t) { return ClusterDeletion(t).Finish(cluster_.id); }));
}

}  // namespace
}  // namespace priorityd::storage
