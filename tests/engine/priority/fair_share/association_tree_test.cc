#include "engine/priority/fair_share/association_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"

namespace priorityd::priority {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kParent = 2147483647;  // As in a dump.

Association Account(int64_t id, int64_t parent, const std::string& name, uint32_t shares = 1) {
  Association a;
  a.id = id;
  a.parent_id = parent;
  a.account = name;
  if (shares == kParent) {
    a.raw_shares.reset();
  } else {
    a.raw_shares = shares;
  }
  return a;
}

Association User(int64_t id, int64_t parent, const std::string& account, const std::string& name,
                 uint32_t shares = 1, const std::string& partition = "") {
  Association a = Account(id, parent, account, shares);
  a.user = name;
  a.partition = partition;
  return a;
}

// root(1): physics(2): {lab(3, parent): ann(4), bob(5)}, cid(6)
//          chemistry(7): ann(8), ann/debug(9)
std::vector<Association> Example() {
  return {Account(1, 0, "root"),
          Account(2, 1, "physics", 3),
          Account(3, 2, "lab", kParent),
          User(6, 2, "physics", "cid", 2),
          User(4, 3, "lab", "ann", 4),
          User(5, 3, "lab", "bob", kParent),
          Account(7, 1, "chemistry", 1),
          User(8, 7, "chemistry", "ann"),
          User(9, 7, "chemistry", "ann", 1, "debug")};
}

std::vector<int64_t> Ids(const AssociationTree& tree, absl::Span<const AssociationIndex> indices) {
  std::vector<int64_t> ids;
  for (const AssociationIndex i : indices) ids.push_back(tree.id()[i]);
  return ids;
}

std::vector<int64_t> ChildIds(const AssociationTree& tree, int64_t id) {
  std::vector<int64_t> ids;
  for (const AssociationIndex i : tree.children(tree.FindId(id))) ids.push_back(tree.id()[i]);
  return ids;
}

TEST(AssociationTreeTest, ParentsComeBeforeTheirChildren) {
  std::vector<Association> shuffled = Example();
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    const AssociationTree tree = *AssociationTree::Build(shuffled);
    EXPECT_EQ(tree.account(0), "root");
    for (AssociationIndex i = 1; i < tree.size(); ++i) {
      EXPECT_LT(tree.parent()[i], i);
      EXPECT_EQ(tree.depth(i), tree.depth(tree.parent()[i]) + 1);
    }
  }
}

TEST(AssociationTreeTest, ChildrenAreInIdOrder) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  EXPECT_THAT(ChildIds(tree, 1), ElementsAre(2, 7));
  EXPECT_THAT(ChildIds(tree, 2), ElementsAre(3, 6));
  EXPECT_THAT(ChildIds(tree, 3), ElementsAre(4, 5));
  EXPECT_THAT(ChildIds(tree, 9), IsEmpty());
}

TEST(AssociationTreeTest, ChildrenOfAParentAccountCompeteOneLevelUp) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  EXPECT_THAT(Ids(tree, tree.fair_share_children(tree.FindId(2))), ElementsAre(4, 5, 6));
  EXPECT_THAT(tree.fair_share_children(tree.FindId(3)), IsEmpty());
  EXPECT_EQ(tree.fair_share_parent()[tree.FindId(4)], tree.FindId(2));
  EXPECT_EQ(tree.fair_share_parent()[tree.FindId(3)], tree.FindId(2));
}

TEST(AssociationTreeTest, LevelSharesLeaveOutParentNodes) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  for (const int64_t id : {3, 4, 5, 6}) EXPECT_EQ(tree.level_shares()[tree.FindId(id)], 6) << id;
}

TEST(AssociationTreeTest, NormSharesAreOfTheLevelOrOfThePath) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  const AssociationIndex ann = tree.FindId(4);
  EXPECT_DOUBLE_EQ(tree.level_norm_shares()[ann], 4.0 / 6);
  EXPECT_DOUBLE_EQ(tree.path_norm_shares()[ann], 3.0 / 4 * 4 / 6);
  EXPECT_EQ(tree.level_norm_shares()[0], 1);
}

TEST(AssociationTreeTest, AParentNodeHasItsFairShareParentsNormShares) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  for (const int64_t id : {3, 5}) {
    EXPECT_EQ(tree.level_norm_shares()[tree.FindId(id)], 0.75);
    EXPECT_EQ(tree.path_norm_shares()[tree.FindId(id)], 0.75);
  }
}

TEST(AssociationTreeTest, ALevelWithoutSharesHasNormSharesZero) {
  const AssociationTree tree = *AssociationTree::Build(
      {Account(1, 0, "root"), User(2, 1, "root", "ann", 0), User(3, 1, "root", "bob", 0)});
  EXPECT_EQ(tree.level_norm_shares()[1], 0);
  EXPECT_EQ(tree.path_norm_shares()[2], 0);
}

TEST(AssociationTreeTest, UsersAreCountedBelowEachAssociation) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  EXPECT_EQ(tree.user_count(), 5);
  EXPECT_EQ(tree.users_below(tree.FindId(2)), 3);
  EXPECT_EQ(tree.users_below(tree.FindId(6)), 1);
}

TEST(AssociationTreeTest, PriorityAndQosAreInheritedFromTheNearestThatHasThem) {
  std::vector<Association> associations = Example();
  associations[1].priority = 50;  // physics
  associations[4].priority = 7;   // lab/ann
  associations[1].default_qos = "normal";
  associations[2].qos = {"normal", "high"};          // lab
  associations[5].qos = std::vector<std::string>();  // lab/bob: all
  const AssociationTree tree = *AssociationTree::Build(associations);
  EXPECT_EQ(tree.effective_priority()[tree.FindId(5)], 50u);
  EXPECT_EQ(tree.effective_priority()[tree.FindId(4)], 7u);
  EXPECT_EQ(tree.effective_priority()[tree.FindId(8)], 0u);
  EXPECT_EQ(tree.max_priority(), 50u);
  EXPECT_EQ(tree.default_qos(tree.FindId(5)), "normal");
  EXPECT_EQ(tree.default_qos(tree.FindId(8)), "");
  EXPECT_THAT(tree.allowed_qos(tree.FindId(4)), ElementsAre("normal", "high"));
  EXPECT_THAT(tree.allowed_qos(tree.FindId(5)), IsEmpty());
  EXPECT_THAT(tree.allowed_qos(tree.FindId(6)), IsEmpty());
}

TEST(AssociationTreeTest, LimitsAreAnAssociationsOwn) {
  std::vector<Association> associations = Example();
  associations[1].limits.max_jobs_accrue = 5;
  associations[1].limits.grp_tres_mins["billing"] = 100;
  const AssociationTree tree = *AssociationTree::Build(associations);
  EXPECT_EQ(tree.limits(tree.FindId(2)).max_jobs_accrue, 5u);
  EXPECT_EQ(tree.limits(tree.FindId(2)).grp_tres_mins.at("billing"), 100);
  EXPECT_EQ(tree.limits(tree.FindId(3)), AssociationLimits());
}

TEST(AssociationTreeTest, AnAssociationComesBackAsItWasGiven) {
  std::vector<Association> associations = Example();
  associations[1].priority = 50;
  associations[1].default_qos = "normal";
  associations[3].qos = std::vector<std::string>();
  associations[4].qos = {"high"};
  associations[4].limits.grp_wall = absl::Hours(3);
  const AssociationTree tree = *AssociationTree::Build(associations);
  for (const Association& want : associations) {
    const Association got = tree.association(tree.FindId(want.id));
    EXPECT_EQ(got.id, want.id);
    EXPECT_EQ(got.parent_id, want.parent_id);
    EXPECT_EQ(got.account, want.account);
    EXPECT_EQ(got.user, want.user);
    EXPECT_EQ(got.partition, want.partition);
    EXPECT_EQ(got.raw_shares, want.raw_shares);
    EXPECT_EQ(got.priority, want.priority);
    EXPECT_EQ(got.default_qos, want.default_qos);
    EXPECT_EQ(got.qos, want.qos);
    EXPECT_EQ(got.limits, want.limits);
  }
}

TEST(AssociationTreeTest, APartitionsAssociationIsPreferredToTheUsers) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  EXPECT_EQ(tree.id()[tree.FindUser("chemistry", "ann", "debug")], 9);
  EXPECT_EQ(tree.id()[tree.FindUser("chemistry", "ann", "batch")], 8);
  EXPECT_EQ(tree.id()[tree.FindUser("chemistry", "ann", "")], 8);
  EXPECT_EQ(tree.id()[tree.FindUser("lab", "ann", "debug")], 4);
}

TEST(AssociationTreeTest, WhatIsNotThereIsNotFound) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  EXPECT_EQ(tree.FindAccount("biology"), kNoAssociation);
  EXPECT_EQ(tree.FindAccount("ann"), kNoAssociation);
  EXPECT_EQ(tree.FindUser("lab", "cid", ""), kNoAssociation);
  EXPECT_EQ(tree.FindUser("lab", "", ""), kNoAssociation);
  EXPECT_EQ(tree.FindId(99), kNoAssociation);
  EXPECT_EQ(tree.id()[tree.FindAccount("lab")], 3);
}

TEST(AssociationTreeTest, ARollUpSumsUpTheDirectParents) {
  const AssociationTree tree = *AssociationTree::Build(Example());
  std::vector<double> column(tree.size());
  for (AssociationIndex i = 0; i < tree.size(); ++i) column[i] = static_cast<double>(tree.id()[i]);
  tree.RollUp(absl::MakeSpan(column));
  EXPECT_EQ(column[tree.FindId(3)], 3 + 4 + 5);
  EXPECT_EQ(column[tree.FindId(2)], 2 + 3 + 4 + 5 + 6);
  EXPECT_EQ(column[0], 45);
}

TEST(AssociationTreeTest, LookUpsSurviveAMove) {
  AssociationTree tree = *AssociationTree::Build(Example());
  const AssociationTree moved = std::move(tree);
  EXPECT_EQ(moved.id()[moved.FindUser("lab", "bob", "")], 5);
  EXPECT_EQ(moved.account(moved.FindId(7)), "chemistry");
}

TEST(AssociationTreeTest, OtherSharesAreAsIfTheTreeHadBeenBuiltWithThem) {
  const AssociationTree tree = AssociationTree::Build(Example()).value();
  AssociationTree copy = tree.Copy();
  copy.SetRawShares(copy.FindUser("lab", "ann", ""), 9);
  std::vector<Association> associations = Example();
  associations[4].raw_shares = 9;
  const AssociationTree built = AssociationTree::Build(associations).value();
  EXPECT_EQ(copy.raw_shares(), built.raw_shares());
  EXPECT_EQ(copy.level_shares(), built.level_shares());
  EXPECT_EQ(copy.level_norm_shares(), built.level_norm_shares());
  EXPECT_EQ(copy.path_norm_shares(), built.path_norm_shares());
  EXPECT_NE(copy.level_shares(), tree.level_shares());
  EXPECT_EQ(copy.fair_share_children(1), built.fair_share_children(1));
}

struct Fault {
  const char* name;
  std::vector<Association> associations;
  const char* message;
};

class FaultyTreeTest : public testing::TestWithParam<Fault> {};

TEST_P(FaultyTreeTest, IsRefusedNamingTheAssociationAtFault) {
  const absl::Status status = AssociationTree::Build(GetParam().associations).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultyTreeTest,
    testing::Values(
        Fault{"NoAssociations", {}, "no root"},
        Fault{"NoRoot", {Account(1, 2, "a"), Account(2, 1, "b")}, "no root"},
        Fault{
            "TwoRoots", {Account(1, 0, "root"), Account(2, 0, "b")}, "association 2 (b): a second"},
        Fault{"UserAsRoot", {User(1, 0, "root", "ann")}, "association 1 (root/ann)"},
        Fault{"UnknownParent", {Account(1, 0, "root"), Account(2, 7, "b")}, "unknown id 7"},
        Fault{"Cycle",
              {Account(1, 0, "root"), Account(2, 3, "b"), Account(3, 2, "c")},
              "association 2 (b): parent: not below root"},
        Fault{"UserWithChildren",
              {Account(1, 0, "root"), User(2, 1, "root", "ann"), Account(3, 2, "b")},
              "association 2 (root/ann) is a user"},
        Fault{"SameIdTwice", {Account(1, 0, "root"), Account(1, 1, "b")}, "id: also that of"},
        Fault{"SameNameTwice",
              {Account(1, 0, "root"), Account(2, 1, "b"), Account(3, 1, "b")},
              "association 3 (b)"},
        Fault{"UserOutsideItsAccount",
              {Account(1, 0, "root"), User(2, 1, "b", "ann")},
              "got account root, want b"},
        Fault{"AccountWithPartition",
              {Account(1, 0, "root"), User(2, 1, "b", "", 1, "debug")},
              "partition"},
        Fault{"NamelessAccount", {Account(1, 0, "root"), Account(2, 1, "")}, "account: got ``"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace priorityd::priority
