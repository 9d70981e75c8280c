#include "server/administration/tree/association_plan.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "tests/server/administration/small_tree.h"

namespace priorityd::administration {
namespace {

using Ids = std::vector<int64_t>;

constexpr SettingOperator kPlanSet = SettingOperator::kSet;

absl::StatusOr<TreePlan> Create(const Creation& creation, const std::vector<Setting>& settings,
                                ChangeList* list) {
  const TreeSettings read = SettingsOrDie(settings, SettingsOf::kNewAssociations);
  const Ids ids = {10, 11, 12};
  return PlanCreation(SmallTree(), creation, read, Operator(), ids, list);
}

absl::StatusOr<TreePlan> Update(const Ids& ids, const std::vector<Setting>& settings,
                                ChangeList* list) {
  const TreeSettings read = SettingsOrDie(settings, SettingsOf::kAssociations);
  return PlanUpdate(SmallTree(), ids, read, Operator(), list);
}

TEST(CreationPlanTest, AnAccountStandsBelowItsParentAlsoOneOfTheSameRequest) {
  ChangeList list;
  const auto plan = Create({.associations = {{"phys", "", "", "science"},
                                             {"laser", "", "", "phys"},
                                             {"law", "", "", ""}}},
                           {{"Fairshare", kPlanSet, "7"}}, &list);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->inserts.size(), 3u);
  EXPECT_EQ(plan->inserts[0].parent_id, 2);
  EXPECT_EQ(plan->inserts[1].parent_id, 10);
  EXPECT_EQ(plan->inserts[2].parent_id, 1);
  EXPECT_EQ(plan->inserts[1].id, 11);
  EXPECT_EQ(plan->inserts[2].raw_shares, 7);
  EXPECT_EQ(list.counts().created, 3);
}

TEST(CreationPlanTest, ANewUserGetsTheFirstAccountAsDefaultAndAnExistingOneKeepsTheirs) {
  ChangeList list;
  const auto plan = Create(
      {.associations = {{"bio", "dan", "", ""}, {"chem", "dan", "", ""}, {"bio", "ben", "", ""}}},
      {}, &list);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->users.size(), 1u);
  EXPECT_EQ(plan->users[0].name, "dan");
  EXPECT_EQ(plan->users[0].default_account, "bio");
  EXPECT_EQ(list.counts().created, 4);
}

TEST(CreationPlanTest, WhatIsThereIsUnchangedWhereThatIsAllowed) {
  ChangeList list;
  const auto plan =
      Create({.associations = {{"chem", "ann", "", ""}}, .allow_existing = true}, {}, &list);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->inserts.empty());
  EXPECT_EQ(list.counts().unchanged, 1);
  EXPECT_EQ(CountNew(SmallTree().tree,
                     {.associations = {{"chem", "ann", "", ""}, {"bio", "dan", "", ""}}}),
            1);
}

TEST(CreationPlanTest, WhatCannotBeIsRefusedByItsField) {
  struct Case {
    NewAssociation wanted;
    const char* expected;
  };
  const Case cases[] = {
      {{"", "ann", "", ""}, "associations[0].account: got none"},
      {{"phys ", "", "", ""}, "associations[0].account: got \"phys \", want a name without blanks"},
      {{"chem", " dan", "", ""}, "associations[0].user: got \" dan\", want a name without blanks"},
      {{"phys", "", "main", ""}, "associations[0].partition: got one of an account"},
      {{"chem", "dan", "", "science"}, "associations[0].parent_account: got one of a user"},
      {{"nowhere", "dan", "", ""}, "associations[0].account: got \"nowhere\""},
      {{"phys", "", "", "nowhere"}, "associations[0].parent_account: got \"nowhere\""},
      {{"chem", "ann", "", ""}, "associations[0]: got user ann account chem, which exists"},
  };
  for (const Case& one : cases) {
    ChangeList list;
    const auto plan = Create({.associations = {one.wanted}}, {}, &list);
    EXPECT_NE(plan.status().message().find(one.expected), std::string::npos)
        << one.expected << " in " << plan.status();
  }
  ChangeList list;
  const auto twice =
      Create({.associations = {{"bio", "dan", "", ""}, {"bio", "dan", "", ""}}}, {}, &list);
  EXPECT_NE(twice.status().message().find("twice, want it once"), std::string::npos)
      << twice.status();
}

// SmallTree with accounts d1 (101), d2 (102) and so on, one below the other, from root down.
TreeState DeepTree(int depth) {
  TreeState state = SmallTree();
  for (int i = 1; i <= depth; ++i) {
    state.tree.Put(RowOf(100 + i, i == 1 ? 1 : 99 + i, absl::StrCat("d", i)));
  }
  return state;
}

TEST(CreationPlanTest, AnAccountBeyondTheDepthOfATreeIsRefused) {
  const TreeSettings settings = SettingsOrDie({}, SettingsOf::kNewAssociations);
  const Ids ids = {1000, 1001};
  const Creation two = {
      .associations = {{"x", "", "", absl::StrCat("d", slurm::kMaxAccountDepth - 1)},
                       {"y", "", "", "x"}}};
  ChangeList list;
  const auto plan =
      PlanCreation(DeepTree(slurm::kMaxAccountDepth), two, settings, Operator(), ids, &list);
  EXPECT_NE(
      plan.status().message().find("associations[1].parent_account: got \"x\", want at most 64 "
                                   "accounts from root down"),
      std::string::npos)
      << plan.status();
  const Creation user = {
      .associations = {{absl::StrCat("d", slurm::kMaxAccountDepth), "dan", "", ""}}};
  EXPECT_TRUE(
      PlanCreation(DeepTree(slurm::kMaxAccountDepth), user, settings, Operator(), ids, &list).ok());
}

TEST(UpdatePlanTest, AnAccountDoesNotMoveWithWhatIsBelowItBeyondTheDepthOfATree) {
  const auto move = [](int depth) {
    const TreeSettings settings =
        SettingsOrDie({{"Parent", kPlanSet, absl::StrCat("d", depth)}}, SettingsOf::kAssociations);
    ChangeList list;
    return PlanUpdate(DeepTree(slurm::kMaxAccountDepth), {2}, settings, Operator(), &list).status();
  };
  // Account science, with chem and bio below it.
  EXPECT_TRUE(move(slurm::kMaxAccountDepth - 2).ok()) << move(slurm::kMaxAccountDepth - 2);
  EXPECT_NE(move(slurm::kMaxAccountDepth - 1).message().find("want at most 64 accounts"),
            std::string::npos)
      << move(slurm::kMaxAccountDepth - 1);
}

TEST(UpdatePlanTest, OnlyWhatDiffersIsStored) {
  ChangeList list;
  const auto plan = Update({4, 5}, {{"Fairshare", kPlanSet, "1"}}, &list);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->updates.empty());
  EXPECT_EQ(list.counts().unchanged, 2);
  ChangeList more;
  const auto changed = Update({4, 5}, {{"Fairshare", kPlanSet, "3"}}, &more);
  ASSERT_TRUE(changed.ok()) << changed.status();
  ASSERT_EQ(changed->updates.size(), 2u);
  EXPECT_EQ(changed->updates[1].raw_shares, 3);
  EXPECT_EQ(more.changes()[0].before, "Fairshare=1");
  EXPECT_EQ(more.changes()[0].after, "Fairshare=3");
}

TEST(UpdatePlanTest, AnAccountMovesButNotBelowItselfNorAUserNorRoot) {
  struct Case {
    int64_t id;
    const char* parent;
    const char* refusal;  // Empty = it moves.
  };
  const Case cases[] = {
      {3, "root", ""},
      {3, "bio", ""},
      {2, "chem", "is not below it"},
      {3, "chem", "want one that is not account chem itself"},
      {4, "bio", "want accounts only"},
      {1, "bio", "account root: it cannot be moved"},
      {3, "nowhere", "want an existing account"},
  };
  for (const Case& one : cases) {
    ChangeList list;
    const auto plan = Update({one.id}, {{"Parent", kPlanSet, one.parent}}, &list);
    EXPECT_EQ(plan.ok(), *one.refusal == '\0') << one.id << " " << one.parent << plan.status();
    EXPECT_NE(plan.status().message().find(one.refusal), std::string::npos) << plan.status();
  }
}

// chem to below bio, and science to below chem: each alone could be, both would be a ring.
TEST(UpdatePlanTest, MovesOfOneRequestSeeEachOther) {
  ChangeList list;
  const auto plan = Update({3, 6}, {{"Parent", kPlanSet, "bio"}}, &list);
  EXPECT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("account bio itself"), std::string::npos) << plan.status();
}

TEST(UpdatePlanTest, ADefaultQosIsOneThatMayBeUsed) {
  ChangeList list;
  const std::vector<Setting> of_both = {{"QOS", kPlanSet, "normal"},
                                        {"DefaultQOS", kPlanSet, "high"}};
  const auto refused = Update({4}, of_both, &list);
  EXPECT_NE(refused.status().message().find("settings[1].value: got \"high\""), std::string::npos)
      << refused.status();
  ChangeList more;
  const auto taken =
      Update({4}, {{"QOS", kPlanSet, "normal,high"}, {"DefaultQOS", kPlanSet, "high"}}, &more);
  EXPECT_TRUE(taken.ok()) << taken.status();
}

// eve coordinates bio, chem and science.
TreeRights Coordinator() {
  TreeRights eve;
  eve.user = "eve";
  eve.caller = "eve";
  eve.coordinated = {"bio", "chem", "science"};
  return eve;
}

// SmallTree in which rows have settings.
TreeState TreeWith(const std::vector<std::pair<int64_t, Setting>>& settings) {
  TreeState state = SmallTree();
  for (const auto& [id, setting] : settings) {
    state.tree.Put(WithWords(state.tree, *state.tree.ById(id),
                             SettingsOrDie({setting}, SettingsOf::kAssociations))
                       .value());
  }
  return state;
}

absl::Status UpdateBy(const TreeRights& rights, const TreeState& state, int64_t id,
                      const Setting& setting) {
  ChangeList list;
  const TreeSettings settings = SettingsOrDie({setting}, SettingsOf::kAssociations);
  return PlanUpdate(state, {id}, settings, rights, &list).status();
}

TEST(UpdatePlanTest, OfEachTresTheNearestLimitAboveBoundsACoordinator) {
  constexpr const char* kLists[] = {"GrpTRES",     "GrpTRESMins",    "GrpTRESRunMins", "MaxTRES",
                                    "MaxTRESMins", "MaxTRESPerNode", "MaxTRESRunMins"};
  for (const char* list : kLists) {
    const TreeState state = TreeWith(
        {{2, {list, kPlanSet, "gres/gpu=4,cpu=8"}}, {3, {list, kPlanSet, "cpu=16,mem=9"}}});
    const std::pair<const char*, bool> cases[] = {
        {"gres/gpu=4", true},  {"gres/gpu=5", false},
        {"cpu=16", true},      {"cpu=17", false},
        {"mem=9", true},       {"mem=10", false},
        {"node=1000", true},   {"cpu=1,gres/gpu=5", false},
        {"cpu=16,mem=9", true}};
    for (const auto& [value, may] : cases) {
      const absl::Status status = UpdateBy(Coordinator(), state, 4, {list, kPlanSet, value});
      EXPECT_EQ(status.ok(), may) << list << " " << value << " " << status;
      EXPECT_TRUE(UpdateBy(Operator(), state, 4, {list, kPlanSet, value}).ok());
    }
  }
}

TEST(UpdatePlanTest, NothingIsWithinALimitThatCannotBeRead) {
  constexpr std::pair<const char*, const char*> kLimits[] = {
      {"MaxJobs", "7"}, {"MaxTRES", "cpu=7"}, {"MaxWall", "7"}, {"MinPrioThreshold", "7"}};
  for (const auto& [word, value] : kLimits) {
    TreeState state = TreeWith({{3, {word, kPlanSet, value}}});
    EXPECT_TRUE(UpdateBy(Coordinator(), state, 4, {word, kPlanSet, value}).ok()) << word;
    storage::Association chem = *state.tree.ById(3);
    ASSERT_EQ(chem.other_limits.size(), 1u) << word;
    chem.other_limits[0].value = "x";
    state.tree.Put(chem);
    EXPECT_TRUE(
        absl::IsPermissionDenied(UpdateBy(Coordinator(), state, 4, {word, kPlanSet, value})))
        << word;
  }
}

// Account bio, which a coordinator moves to below account chem.
TEST(UpdatePlanTest, WhatACoordinatorMovesHasNothingThatCouldNotBeSetThere) {
  struct Case {
    Setting there;  // Of chem.
    int64_t id;     // bio, or ann in bio.
    Setting has;
    bool may;
  };
  const Case cases[] = {
      {{"MaxJobs", kPlanSet, "2"}, 6, {"MaxJobs", kPlanSet, "2"}, true},
      {{"MaxJobs", kPlanSet, "2"}, 6, {"MaxJobs", kPlanSet, "3"}, false},
      {{"MaxJobs", kPlanSet, "2"}, 7, {"MaxJobs", kPlanSet, "3"}, false},
      {{"MaxJobs", kPlanSet, "2"}, 7, {"GrpJobs", kPlanSet, "3"}, true},
      {{"MaxTRES", kPlanSet, "cpu=2"}, 7, {"MaxTRES", kPlanSet, "cpu=3"}, false},
      {{"MaxTRES", kPlanSet, "cpu=2"}, 7, {"MaxTRES", kPlanSet, "mem=3"}, true},
      {{"MaxWall", kPlanSet, "1:00:00"}, 7, {"MaxWall", kPlanSet, "1:01:00"}, false},
      {{"GrpWall", kPlanSet, "60"}, 6, {"GrpWall", kPlanSet, "60"}, true},
      {{"GrpTRESMins", kPlanSet, "cpu=60"}, 6, {"GrpTRESMins", kPlanSet, "cpu=61"}, false},
      {{"MaxSubmitJobs", kPlanSet, "5"}, 7, {"MaxSubmitJobs", kPlanSet, "6"}, false},
      {{"QOS", kPlanSet, "normal"}, 7, {"QOS", kPlanSet, "normal"}, true},
      {{"QOS", kPlanSet, "normal"}, 7, {"QOS", kPlanSet, "normal,high"}, false},
      {{"QOS", kPlanSet, "normal"}, 6, {"QOS", kPlanSet, "high"}, false},
      {{"QOS", kPlanSet, "normal"}, 6, {"Priority", kPlanSet, "7"}, true},
  };
  for (const Case& one : cases) {
    const TreeState state = TreeWith({{3, one.there}, {one.id, one.has}});
    const absl::Status status = UpdateBy(Coordinator(), state, 6, {"Parent", kPlanSet, "chem"});
    EXPECT_EQ(status.ok(), one.may) << one.has.name << "=" << one.has.value << " " << status;
    EXPECT_EQ(absl::IsPermissionDenied(status), !one.may);
    EXPECT_TRUE(UpdateBy(Operator(), state, 6, {"Parent", kPlanSet, "chem"}).ok());
  }
}

TEST(UpdatePlanTest, ALowerLimitAboveChangesNothingBelow) {
  const TreeState state =
      TreeWith({{3, {"MaxJobs", kPlanSet, "9"}}, {4, {"MaxJobs", kPlanSet, "9"}}});
  ChangeList list;
  const TreeSettings settings =
      SettingsOrDie({{"MaxJobs", kPlanSet, "2"}}, SettingsOf::kAssociations);
  const auto plan = PlanUpdate(state, {3}, settings, Operator(), &list);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->updates.size(), 1u);
  EXPECT_EQ(plan->updates[0].id, 3);
}

// It stays in science, beyond whose limit an operator has set its own.
TEST(UpdatePlanTest, AMoveToTheSamePlaceIsNone) {
  const TreeState state =
      TreeWith({{2, {"MaxJobs", kPlanSet, "2"}}, {6, {"MaxJobs", kPlanSet, "3"}}});
  EXPECT_TRUE(UpdateBy(Coordinator(), state, 6, {"Parent", kPlanSet, "science"}).ok());
}

TEST(QosNamesTest, OnlyQosOfTheClusterAreSetAndAnyAreTakenAway) {
  const TreeSettings set =
      SettingsOrDie({{"QOS", kPlanSet, "normal,nosuch"}}, SettingsOf::kAssociations);
  EXPECT_NE(CheckQosNames(set, {"normal"}).message().find("\"nosuch\""), std::string::npos);
  const TreeSettings removed =
      SettingsOrDie({{"QOS", SettingOperator::kRemove, "nosuch"}}, SettingsOf::kAssociations);
  EXPECT_TRUE(CheckQosNames(removed, {"normal"}).ok());
}

}  // namespace
}  // namespace priorityd::administration
