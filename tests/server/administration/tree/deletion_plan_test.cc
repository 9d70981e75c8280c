#include "server/administration/tree/deletion_plan.h"

#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
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

TEST(DeletionPlanTest, AChildIsListedBeforeItsParent) {
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

TEST(DeletionPlanTest, ACoordinatorDeletesBelowTheirAccountsOnly) {
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

// ben's only association is 5; ann has another one beside 7.
TEST(DeletionPlanTest, WithTheirLastAssociationGoNoRolesThatTheCallerCouldNotTakeAway) {
  struct Role {
    std::string admin_level;
    Names coordinated;
    bool may_eve;  // Coordinates bio and chem.
    bool may_operator;
  };
  const Role roles[] = {
      {"", {}, true, true},
      {"", {"bio"}, true, true},
      {"", {"chem"}, true, true},
      {"", {"science"}, false, true},
      {"", {"bio", "science"}, false, true},
      {"Operator", {}, false, true},
      {"Administrator", {}, false, false},
  };
  TreeRights eve;
  eve.user = eve.caller = "eve";
  eve.coordinated = {"bio", "chem"};
  TreeRights ope;
  ope.user = ope.caller = "ope";
  ope.is_operator = true;
  for (const Role& role : roles) {
    TreeState state = SmallTree();
    for (const char* name : {"ann", "ben"}) {
      state.users[name].admin_level = role.admin_level;
      state.users[name].coordinated = role.coordinated;
    }
    const auto outcome = [&](int64_t id, const TreeRights& rights) {
      ChangeList list;
      return PlanDeletion(state, {id}, rights, &list).status();
    };
    const std::string what = role.admin_level + " " + absl::StrJoin(role.coordinated, ",");
    EXPECT_EQ(outcome(5, eve).ok(), role.may_eve) << what << outcome(5, eve);
    EXPECT_EQ(absl::IsPermissionDenied(outcome(5, eve)), !role.may_eve) << what;
    EXPECT_EQ(outcome(5, ope).ok(), role.may_operator) << what << outcome(5, ope);
    EXPECT_TRUE(outcome(5, Operator()).ok()) << what;
    EXPECT_TRUE(outcome(7, eve).ok()) << what << outcome(7, eve);
  }
}

}  // namespace
}  // namespace priorityd::administration
