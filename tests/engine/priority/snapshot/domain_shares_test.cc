#include "engine/priority/snapshot/domain_shares.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace priorityd::priority {
namespace {

// root: a: ann, ann in the partition p; b.
class DomainSharesTest : public testing::Test {
 protected:
  static Association Row(int64_t id, int64_t parent, const char* account, const char* user = "",
                         const char* partition = "") {
    Association row;
    row.id = id;
    row.parent_id = parent;
    row.account = account;
    row.user = user;
    row.partition = partition;
    return row;
  }

  const AssociationTree tree_ =
      AssociationTree::Build({Row(1, 0, "root"), Row(2, 1, "a"), Row(3, 1, "b"),
                              Row(4, 2, "a", "ann"), Row(5, 2, "a", "ann", "p")})
          .value();
};

TEST_F(DomainSharesTest, EachAssociationHasTheDomainsWhateverItsPartition) {
  const DomainShares shares("d", 7, {{"a", "a", "c"}, {"", "ann", ""}, {0.25, 0.5, 0.75}});
  EXPECT_EQ(shares.Find("a", ""), 0.25);
  EXPECT_EQ(shares.Find("a", "bob"), std::nullopt);
  std::vector<double> fair_share(tree_.size(), 1);
  shares.Apply(tree_, &fair_share);
  const auto of = [&](AssociationIndex i) { return fair_share[i]; };
  EXPECT_EQ(of(tree_.FindAccount("a")), 0.25);
  EXPECT_EQ(of(tree_.FindUser("a", "ann", "")), 0.5);
  EXPECT_EQ(of(tree_.FindUser("a", "ann", "p")), 0.5);
  // The domain lacks it.
  EXPECT_EQ(of(tree_.FindAccount("b")), 0);
}

TEST_F(DomainSharesTest, ADomainGivesThoseWithoutAPartition) {
  const std::vector<double> fair_share = {0.1, 0.2, 0.3, 0.4, 0.5};
  const DomainShares::Columns columns = ShareColumnsOf(tree_, fair_share);
  const DomainShares shares("d", 1, columns);
  EXPECT_EQ(columns.fair_shares.size(), 4);
  EXPECT_EQ(shares.Find("a", "ann"), fair_share[tree_.FindUser("a", "ann", "")]);
  EXPECT_EQ(shares.Find("root", ""), fair_share[0]);
}

// In a member each of them may have associations.
TEST_F(DomainSharesTest, AMergedUserHasTheSharesOfTheOther) {
  const AssociationTree merged =
      AssociationTree::Build({Row(1, 0, "root"), Row(2, 1, "a"), Row(3, 1, "b"),
                              Row(4, 2, "a", "ann"), Row(5, 2, "a", "old"),
                              Row(6, 2, "a", "old", "p"), Row(7, 3, "b", "old")})
          ->WithMergedUsers({{"old", "ann"}});
  const std::vector<double> fair_share = {0.1, 0.2, 0.3, 0.4};
  const DomainShares::Columns columns = ShareColumnsOf(merged, fair_share);
  const DomainShares shares("d", 1, columns);
  EXPECT_EQ(columns.fair_shares.size(), 5);
  EXPECT_EQ(shares.Find("a", "old"), 0.4);
  EXPECT_EQ(shares.Find("a", "ann"), 0.4);
  EXPECT_EQ(shares.Find("b", "old"), std::nullopt) << "ann has no association there";
}

// In a, ann has both, and old's association in p has the lower id; in b, ann has p alone.
TEST_F(DomainSharesTest, AMergedUserHasNoSharesOfAPartition) {
  const AssociationTree merged =
      AssociationTree::Build({Row(1, 0, "root"), Row(2, 1, "a"), Row(3, 1, "b"),
                              Row(4, 2, "a", "old", "p"), Row(5, 2, "a", "old"),
                              Row(6, 2, "a", "ann", "p"), Row(7, 2, "a", "ann"),
                              Row(8, 3, "b", "ann", "p"), Row(9, 3, "b", "old", "p")})
          ->WithMergedUsers({{"old", "ann"}});
  std::vector<double> fair_share(merged.size());
  for (AssociationIndex i = 0; i < merged.size(); ++i) fair_share[i] = merged.id()[i] / 16.0;
  const DomainShares shares("d", 1, ShareColumnsOf(merged, fair_share));
  EXPECT_EQ(shares.Find("a", "old"), 7 / 16.0);
  EXPECT_EQ(shares.Find("a", "ann"), 7 / 16.0);
  EXPECT_EQ(shares.Find("b", "old"), std::nullopt) << "as ann";
  EXPECT_EQ(shares.Find("b", "ann"), std::nullopt);
}

}  // namespace
}  // namespace priorityd::priority
