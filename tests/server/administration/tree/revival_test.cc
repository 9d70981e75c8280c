#include "server/administration/tree/revival.h"

#include <gtest/gtest.h>

#include <vector>

#include "storage/configuration/association_store.h"
#include "storage/ledger/usage_store.h"
#include "tests/server/administration/small_tree.h"
#include "tests/storage/store_test.h"

namespace priorityd::administration {
namespace {

using storage::StatusOf;

// root, chem below it and ann in chem, of which all but root are deleted.
class RevivalTest : public storage::StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](storage::Transaction& t) {
      storage::AssociationStore store(t);
      ids_ = store.ReserveIds(6).value();
      absl::Status status =
          store.Insert({Row(0, -1, "root"), Row(1, 0, "chem"), Row(2, 1, "chem", "ann")});
      if (status.ok()) {
        status = storage::UsageStore(t)
                     .Lock(storage::UsageOf::kAssociation, cluster_.id, {ids_[2]})
                     .status();
      }
      if (!status.ok()) return status;
      return store.Delete(cluster_.id, {ids_[1], ids_[2]}, absl::FromUnixSeconds(1));
    }));
  }

  storage::Association Row(int id, int parent, const char* account, const char* user = "") {
    storage::Association row = RowOf(ids_[id], std::nullopt, account, user);
    row.cluster_id = cluster_.id;
    if (parent >= 0) row.parent_id = ids_[parent];
    return row;
  }

  std::vector<int64_t> ids_;
};

TEST_F(RevivalTest, WhatIsMadeAgainHasTheOldIdsAndWhatIsNewTheReservedOnes) {
  std::vector<storage::Association> inserts = {Row(3, 0, "chem"), Row(4, 3, "chem", "ann"),
                                               Row(5, 3, "chem", "ben")};
  std::vector<storage::Association> updates = {Row(0, 4, "root")};
  ASSERT_OK(Write(
      [&](storage::Transaction& t) { return ReviveDeleted(t, cluster_.id, &inserts, &updates); }));
  EXPECT_EQ(inserts, (std::vector<storage::Association>{Row(1, 0, "chem"), Row(2, 1, "chem", "ann"),
                                                        Row(5, 1, "chem", "ben")}));
  EXPECT_EQ(updates[0].parent_id, ids_[2]);
  ASSERT_OK(
      Write([&](storage::Transaction& t) { return storage::AssociationStore(t).Insert(inserts); }));
  EXPECT_EQ(*Read([&](storage::Transaction& t) {
    return storage::AssociationStore(t).Count(cluster_.id);
  }),
            4);
  EXPECT_TRUE(Read([&](storage::Transaction& t) {
                return storage::AssociationStore(t).ListDeleted(cluster_.id);
              })->empty());
}

}  // namespace
}  // namespace priorityd::administration
