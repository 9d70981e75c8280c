#include "server/administration/changes/user_change.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "tests/server/administration/small_tree.h"

namespace priorityd::administration {
namespace {

using Names = std::vector<std::string>;

constexpr SettingOperator kUserSet = SettingOperator::kSet;

// The plan for ann alone.
absl::StatusOr<TreePlan> Plan(const std::vector<Setting>& settings, const TreeRights& rights,
                              ChangeList* list, const std::string& name = "ann") {
  TreeState state = SmallTree();
  const storage::ClusterUser user = state.users[name];
  state.users = {{name, user}};
  return PlanUserUpdate(state, SettingsOrDie(settings, SettingsOf::kUsers), rights, list);
}

TEST(UserPlanTest, WhatIsSetHoldsAndTheRestStays) {
  struct Case {
    Setting setting;
    storage::ClusterUser expected;
  };
  storage::ClusterUser levelled = UserOf("ann", "chem");
  levelled.admin_level = "Operator";
  const Case cases[] = {
      {{"DefaultAccount", kUserSet, "bio"}, UserOf("ann", "bio")},
      {{"AdminLevel", kUserSet, "operator"}, levelled},
      {{"Coordinators", kUserSet, "bio"}, UserOf("ann", "chem", {"bio"})},
      {{"Coordinators", SettingOperator::kAdd, "bio,science"},
       UserOf("ann", "chem", {"bio", "science"})},
  };
  for (const Case& one : cases) {
    ChangeList list;
    const auto plan = Plan({one.setting}, Operator(), &list);
    ASSERT_TRUE(plan.ok()) << one.setting.name << plan.status();
    ASSERT_EQ(plan->users.size(), 1u) << one.setting.name;
    EXPECT_EQ(plan->users[0], one.expected) << one.setting.name;
  }
}

TEST(UserPlanTest, CoordinatedAccountsAreTakenAwayByName) {
  ChangeList list;
  const auto plan =
      Plan({{"Coordinators", SettingOperator::kRemove, "bio,nosuch"}}, Operator(), &list, "eve");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->users.size(), 1u);
  EXPECT_EQ(plan->users[0].coordinated, Names{"chem"});
}

TEST(UserPlanTest, WhatIsSoAlreadyIsNotStored) {
  ChangeList list;
  const auto plan = Plan({{"DefaultAccount", kUserSet, "chem"}}, Operator(), &list);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->users.empty());
  EXPECT_EQ(list.counts().unchanged, 1);
}

TEST(UserPlanTest, ADefaultAccountIsOneOfTheUsersAndCoordinatedOnesExist) {
  ChangeList list;
  const auto account = Plan({{"DefaultAccount", kUserSet, "science"}}, Operator(), &list);
  EXPECT_NE(account.status().message().find("want an account in which user ann is"),
            std::string::npos)
      << account.status();
  const auto coordinated = Plan({{"Coordinators", kUserSet, "nosuch"}}, Operator(), &list);
  EXPECT_NE(coordinated.status().message().find("want accounts of the cluster"), std::string::npos)
      << coordinated.status();
}

TEST(UserPlanTest, AUserSetsTheirOwnDefaultAccountAndNothingElse) {
  TreeRights ann;
  ann.user = "ann";
  ann.caller = "ann";
  ChangeList list;
  EXPECT_TRUE(Plan({{"DefaultAccount", kUserSet, "bio"}}, ann, &list).ok());
  EXPECT_TRUE(
      absl::IsPermissionDenied(Plan({{"AdminLevel", kUserSet, "admin"}}, ann, &list).status()));
  EXPECT_TRUE(
      absl::IsPermissionDenied(Plan({{"Coordinators", kUserSet, "bio"}}, ann, &list).status()));
  ann.user = "ben";
  EXPECT_TRUE(
      absl::IsPermissionDenied(Plan({{"DefaultAccount", kUserSet, "bio"}}, ann, &list).status()));
}

TEST(UserPlanTest, ARefusalDoesNotRevealWhichAccountsAUserHasOrThereAre) {
  TreeRights eve;
  eve.user = eve.caller = "eve";
  eve.coordinated = {"chem"};
  ChangeList list;
  const auto refusal = [&](const char* word, const char* value) {
    const absl::Status status = Plan({{word, kUserSet, value}}, eve, &list).status();
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << word << "=" << value << " " << status;
    return absl::StrReplaceAll(status.message(), {{value, "?"}});
  };
  // ann is in bio and chem, and chem is the default account.
  EXPECT_EQ(refusal("DefaultAccount", "bio"), refusal("DefaultAccount", "science"));
  EXPECT_EQ(refusal("DefaultAccount", "bio"), refusal("DefaultAccount", "nosuch"));
  EXPECT_EQ(refusal("Coordinators", "bio"), refusal("Coordinators", "nosuch"));
}

TEST(UserPlanTest, ARefusalDoesNotRevealWhichAccountsAUserCoordinates) {
  TreeRights eve;
  eve.user = eve.caller = "eve";
  eve.coordinated = {"chem"};
  storage::ClusterUser ann;
  ann.name = "ann";
  ann.coordinated = {"science"};
  storage::ClusterUser after = ann;
  after.coordinated = {"chem"};
  const TreeSlice tree;
  for (const absl::Status& refused :
       {eve.CheckUser(tree, ann, after, /*is_new=*/false), eve.CheckDeletedUser(tree, ann)}) {
    EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
    EXPECT_EQ(refused.message().find("science"), std::string::npos) << refused;
  }
}

}  // namespace
}  // namespace priorityd::administration
