#include "server/administration/tree/tree_slice.h"

#include <gtest/gtest.h>

#include "tests/server/administration/small_tree.h"

namespace priorityd::administration {
namespace {

using Ids = std::vector<int64_t>;

TEST(TreeSliceTest, RowsAreFoundByNameAndIdUntilTheyAreRemoved) {
  TreeSlice tree = SmallTree().tree;
  EXPECT_EQ(tree.Find("chem", "ann", "")->id, 4);
  EXPECT_EQ(tree.Find("chem", "ann", "main"), nullptr);
  EXPECT_EQ(tree.Account("bio")->id, 6);
  EXPECT_EQ(tree.ById(9), nullptr);
  tree.Remove(4);
  tree.Remove(9);
  EXPECT_EQ(tree.Find("chem", "ann", ""), nullptr);
  EXPECT_EQ(tree.rows().size(), 6u);
}

TEST(TreeSliceTest, TreeOrderIsThatOfParentsAndIdsAlsoAfterAMove) {
  TreeSlice tree = SmallTree().tree;
  EXPECT_EQ(tree.InTreeOrder(), (Ids{1, 2, 3, 4, 5, 6, 7}));
  TreeSlice::Row bio = *tree.ById(6);
  bio.parent_id = 1;
  tree.Put(bio);
  TreeSlice::Row chem = *tree.ById(3);
  chem.parent_id = 6;
  tree.Put(chem);
  EXPECT_EQ(tree.InTreeOrder(), (Ids{1, 2, 6, 3, 4, 5, 7}));
}

TEST(TreeSliceTest, WhatStandsBelowSeveralComesOnceAndAfterItsParent) {
  const TreeSlice tree = SmallTree().tree;
  struct Case {
    Ids ids;
    Ids expected;
  };
  for (const Case& one : {Case{{}, {}}, Case{{5}, {5}}, Case{{3}, {3, 4, 5}},
                          Case{{3, 2}, {2, 3, 6, 4, 5, 7}}, Case{{6, 6, 7}, {6, 7}}}) {
    EXPECT_EQ(tree.WithBelow(one.ids), one.expected);
  }
}

TEST(TreeSliceTest, AUserIsBelowTheirAccountAndAllAboveIt) {
  const TreeSlice tree = SmallTree().tree;
  struct Case {
    int64_t id;
    const char* account;
    bool expected;
  };
  for (const Case& one : {Case{4, "chem", true}, Case{4, "science", true}, Case{4, "bio", false},
                          Case{3, "chem", true}, Case{2, "chem", false}, Case{7, "root", true}}) {
    EXPECT_EQ(tree.IsAtOrBelow(*tree.ById(one.id), {one.account}), one.expected)
        << one.id << " " << one.account;
  }
}

TEST(TreeSliceTest, ListsAndDefaultsOfQosAreInheritedFromTheNextAboveThatHasThem) {
  TreeSlice tree = SmallTree().tree;
  TreeSlice::Row root = *tree.ById(1);
  root.qos = NameList{"normal"};
  root.default_qos = "normal";
  tree.Put(root);
  TreeSlice::Row chem = *tree.ById(3);
  chem.qos = NameList{"high", "normal"};
  chem.default_qos = "high";
  tree.Put(chem);
  EXPECT_EQ(tree.QosListOf(*tree.ById(4)), (NameList{"high", "normal"}));
  EXPECT_EQ(tree.QosListOf(*tree.ById(7)), NameList{"normal"});
  EXPECT_EQ(tree.InheritedQosList(*tree.ById(3)), NameList{"normal"});
  EXPECT_EQ(tree.InheritedQosList(*tree.ById(1)), std::nullopt);
  EXPECT_EQ(tree.DefaultQosOf(*tree.ById(5)), "high");
  EXPECT_EQ(tree.DefaultQosOf(*tree.ById(7)), "normal");
}

TEST(TreeSliceTest, AnAssociationIsCalledByWhatItIs) {
  EXPECT_EQ(ObjectName(RowOf(1, std::nullopt, "chem")), "account chem");
  storage::Association row = RowOf(2, 1, "chem", "ann");
  EXPECT_EQ(ObjectName(row), "user ann account chem");
  row.partition = "main";
  EXPECT_EQ(ObjectName(row), "user ann account chem partition main");
}

}  // namespace
}  // namespace priorityd::administration
