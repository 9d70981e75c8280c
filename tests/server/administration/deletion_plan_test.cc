#include "server/administration/deletion_plan.h"

#include <gtest/gtest.h>

#include "engine/errors/error_details.h"
#include "tests/server/administration/small_tree.h"

namespace priorityd::administration {
namespace {

using Ids = std::vector<int64_t>;
using Names = std::vector<std::string>;

// What goes of SmallTree where these are deleted, and who goes with it.
struct Case {
  Ids ids;
  Ids deletions;
  Names gone_users;
  Names coordinated;  // What eve coordinates then.
};

TEST(DeletionPlanTest, AllBelowGoesUsersWithoutAnAccountGoAndNobodyCoordinatesWhatIsGone) {
  const Case cases[] = {
      {{5}, {5}, {"ben"}, {"bio", "chem"}}, {{7}, {7}, {}, {"bio", "chem"}},
      {{6}, {6, 7}, {}, {"chem"}},          {{2}, {2, 3, 6, 4, 5, 7}, {"ann", "ben"}, {}},
      {{1, 6}, {6, 7}, {}, {"chem"}},  // root stays.
  };
  for (const Case& one : cases) {
    ChangeList list;
    const auto plan = PlanDeletion(SmallTree(), one.ids, Operator(), &list);
    ASSERT_TRUE(plan.ok()) << one.ids.front() << " " << plan.status();
    EXPECT_EQ(plan->deletions, one.deletions);
    EXPECT_EQ(plan->gone_users, one.gone_users);
    const bool changes = one.coordinated.size() < 2;
    ASSERT_EQ(plan->users.size(), changes ? 1u : 0u);
    if (changes) {
      EXPECT_EQ(plan->users[0].coordinated, one.coordinated);
    }
    EXPECT_EQ(list.counts().deleted,
              static_cast<int64_t>(one.deletions.size() + one.gone_users.size()));
    EXPECT_TRUE(plan->inserts.empty() && plan->updates.empty());
  }
}

TEST(DeletionPlanTest, WhatStandsBelowIsToldBeforeWhatItStandsBelow) {
  ChangeList list;
  ASSERT_TRUE(PlanDeletion(SmallTree(), {2}, Operator(), &list).ok());
  Names objects;
  for (const Change& change : list.changes()) objects.push_back(change.object);
  EXPECT_EQ(objects, (Names{"user ann account bio", "user ben account chem",
                            "user ann account chem", "account bio", "account chem",
                            "account science", "user ann", "user ben", "user eve"}));
}

TEST(DeletionPlanTest, ADefaultAccountStaysWhileItsUserHasAnother) {
  ChangeList list;
  const auto plan = PlanDeletion(SmallTree(), {3}, Operator(), &list);
  EXPECT_TRUE(absl::IsFailedPrecondition(plan.status()));
  EXPECT_EQ(errors::ReasonOf(plan.status()), "DEFAULT_ACCOUNT");
  EXPECT_NE(plan.status().message().find("ann (chem)"), std::string::npos) << plan.status();
  EXPECT_EQ(plan.status().message().find("ben"), std::string::npos) << plan.status();
}

TEST(DeletionPlanTest, RootStays) {
  ChangeList list;
  EXPECT_EQ(errors::ReasonOf(PlanDeletion(SmallTree(), {1}, Operator(), &list).status()),
            "ROOT_STAYS");
}

TEST(DeletionPlanTest, ACoordinatorDeletesBelowHerAccountsOnly) {
  TreeRights eve;
  eve.user = "eve";
  eve.caller = "eve";
  eve.coordinated = {"bio", "chem"};
  const std::pair<int64_t, bool> cases[] = {{7, true}, {5, true}, {6, false}, {2, false}};
  for (const auto& [id, may] : cases) {
    ChangeList list;
    const auto plan = PlanDeletion(SmallTree(), {id}, eve, &list);
    EXPECT_EQ(plan.ok(), may) << id << " " << plan.status();
    EXPECT_EQ(absl::IsPermissionDenied(plan.status()), !may);
  }
}

}  // namespace
}  // namespace priorityd::administration
