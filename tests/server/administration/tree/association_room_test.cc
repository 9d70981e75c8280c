#include "server/administration/tree/association_room.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "tests/server/administration/small_tree.h"
#include "tests/storage/store_test.h"

namespace priorityd::administration {
namespace {

using storage::StatusOf;

// root; chem and phys below it; lab and a deleted user below chem.
class AssociationRoomTest : public storage::StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](storage::Transaction& t) {
      storage::AssociationStore store(t);
      ids_ = store.ReserveIds(10).value();
      rows_ = {Row(0, -1, "root"), Row(1, 0, "chem"), Row(2, 0, "phys"), Row(3, 1, "lab"),
               Row(4, 1, "chem", "ann")};
      absl::Status status = store.Insert(rows_);
      return status.ok() ? store.Delete(cluster_.id, {ids_[4]}, absl::FromUnixSeconds(1)) : status;
    }));
    rows_.pop_back();
  }

  storage::Association Row(int id, int parent, const char* account, const char* user = "") {
    storage::Association row = RowOf(ids_[id], std::nullopt, account, user);
    row.cluster_id = cluster_.id;
    if (parent >= 0) row.parent_id = ids_[parent];
    return row;
  }

  absl::Status Check(const std::vector<storage::Association>& inserts,
                     const AssociationRoom& room) {
    return Write([&](storage::Transaction& t) {
      return CheckAssociationRoom(t, cluster_.id, TreeSlice(rows_), inserts, room);
    });
  }

  std::vector<int64_t> ids_;
  std::vector<storage::Association> rows_;
};

TEST_F(AssociationRoomTest, AnAccountBelowRootThatIsFullLeavesRoomToTheOthers) {
  const AssociationRoom room = {.below_account = 3};
  const std::vector<storage::Association> one = {Row(5, 3, "lab", "ben")};
  EXPECT_TRUE(Check(one, room).ok());
  const std::vector<storage::Association> two = {Row(5, 3, "group"), Row(6, 5, "group", "ben")};
  const absl::Status full = Check(two, room);
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_EQ(errors::ReasonOf(full), "TOO_MANY_ASSOCIATIONS");
  EXPECT_EQ(full.message(),
            "associations: got more than 3 below account chem with deleted ones, want an operator "
            "to add others");
  EXPECT_TRUE(Check({Row(5, 2, "group"), Row(6, 5, "group", "ben")}, room).ok());
}

TEST_F(AssociationRoomTest, AClusterHasABoundToo) {
  EXPECT_TRUE(Check({Row(5, 0, "math")}, {.of_cluster = 6}).ok());
  EXPECT_EQ(Check({Row(5, 0, "math"), Row(6, 0, "root", "ben")}, {.of_cluster = 6}).message(),
            "associations: got more than 6 in the cluster with deleted ones, want an operator to "
            "add others");
}

}  // namespace
}  // namespace priorityd::administration
