#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "tests/engine/priority/association_row.h"

namespace priorityd::priority {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// root(1): lab(3): ann(4), bob(5)
//          chemistry(7): ann(8), ann/debug(9)
std::vector<Association> Rows() {
  return {AssociationRow(1, 0, "root"),
          AssociationRow(3, 1, "lab"),
          AssociationRow(4, 3, "lab", "ann"),
          AssociationRow(5, 3, "lab", "bob"),
          AssociationRow(7, 1, "chemistry"),
          AssociationRow(8, 7, "chemistry", "ann"),
          AssociationRow(9, 7, "chemistry", "ann", "debug")};
}

std::vector<int64_t> ChildrenOf(const AssociationTree& tree, int64_t id) {
  std::vector<int64_t> ids;
  for (const AssociationIndex i : tree.children(tree.FindId(id))) ids.push_back(tree.id()[i]);
  return ids;
}

// ann is merged into dee, who has chemistry in any partition and in debug.
AssociationTree MergedExample() {
  std::vector<Association> associations = Rows();
  associations.push_back(AssociationRow(10, 7, "chemistry", "dee"));
  associations.push_back(AssociationRow(11, 7, "chemistry", "dee", "debug"));
  return AssociationTree::Build(associations)->WithMergedUsers({{"ann", "dee"}});
}

TEST(MergedUsersTest, AMergedUserHasNoAssociationAndIsFoundAsTheOther) {
  const AssociationTree tree = MergedExample();
  EXPECT_THAT(ChildrenOf(tree, 7), ElementsAre(10, 11));
  EXPECT_EQ(tree.user_count(), 3) << "bob, and dee twice";
  EXPECT_EQ(tree.level_shares()[tree.FindId(10)], 2);
  EXPECT_EQ(tree.id()[tree.FindUser("chemistry", "ann", "")], 10);
  EXPECT_EQ(tree.id()[tree.FindUser("chemistry", "ann", "debug")], 11);
  EXPECT_EQ(tree.id()[tree.FindUser("chemistry", "ann", "other")], 10);
  EXPECT_EQ(tree.SurvivorOf("ann"), "dee");
  EXPECT_EQ(tree.SurvivorOf("dee"), "dee");
  EXPECT_EQ(tree.SurvivorOf("zoe"), "zoe");
}

TEST(MergedUsersTest, EachAssociationOfAMergedUserCountsAsOneOfTheOtherOrAsTheAccount) {
  const AssociationTree tree = MergedExample();
  EXPECT_EQ(tree.FindId(8), tree.FindId(10));
  EXPECT_EQ(tree.FindId(9), tree.FindId(11));
  EXPECT_EQ(tree.FindId(4), tree.FindAccount("lab")) << "dee has none there";
  EXPECT_EQ(tree.FindId(99), kNoAssociation);
  EXPECT_THAT(tree.MergedInto(tree.FindId(10)), ElementsAre("ann"));
  EXPECT_THAT(tree.MergedInto(tree.FindId(5)), IsEmpty());
}

// Without debug of the other user.
TEST(MergedUsersTest, AMergedPartitionCountsAsTheAssociationOfAnyPartition) {
  std::vector<Association> associations = Rows();
  associations.push_back(AssociationRow(10, 7, "chemistry", "dee"));
  const AssociationTree tree =
      AssociationTree::Build(associations)->WithMergedUsers({{"ann", "dee"}});
  EXPECT_EQ(tree.FindId(9), tree.FindId(10));
  EXPECT_THAT(tree.MergedInto(tree.FindId(10)), ElementsAre("ann")) << "once";
}

TEST(MergedUsersTest, ACopyHasTheMergesAndATreeWithoutThemIsAnother) {
  const AssociationTree tree = MergedExample();
  const AssociationTree copy = tree.Copy();
  EXPECT_EQ(copy, tree);
  EXPECT_EQ(copy.FindId(8), copy.FindId(10));
  EXPECT_EQ(copy.MergedInto(copy.FindId(10)), tree.MergedInto(tree.FindId(10)));
  const AssociationTree none = AssociationTree::Build(Rows()).value();
  EXPECT_EQ(none.WithMergedUsers({}), none);
  EXPECT_FALSE(none.WithMergedUsers({{"eve", "bob"}}) == none);
}

}  // namespace
}  // namespace priorityd::priority
