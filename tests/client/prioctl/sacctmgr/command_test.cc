#include "client/prioctl/sacctmgr/command.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::sacctmgr {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Command> Parse(absl::string_view line) {
  return ParseCommand(absl::StrSplit(line, ' '));
}

TEST(CommandTest, VerbsAndEntitiesMayBeCutShortAsSacctmgrAllows) {
  struct Case {
    const char* line;
    Verb verb;
    Entity entity;
  };
  for (const Case& c : {Case{"add account x", Verb::kAdd, Entity::kAccount},
                        Case{"create acc x", Verb::kAdd, Entity::kAccount},
                        Case{"CR USER x", Verb::kAdd, Entity::kUser},
                        Case{"m u x set a=1", Verb::kModify, Entity::kUser},
                        Case{"update q x set a=1", Verb::kModify, Entity::kQos},
                        Case{"del coord x", Verb::kDelete, Entity::kCoordinator},
                        Case{"rem cl x", Verb::kDelete, Entity::kCluster},
                        Case{"l as", Verb::kShow, Entity::kAssociation},
                        Case{"sho associations", Verb::kShow, Entity::kAssociation},
                        Case{"list trans", Verb::kShow, Entity::kTransaction},
                        Case{"list problems", Verb::kShow, Entity::kProblem}}) {
    const auto command = Parse(c.line);
    ASSERT_TRUE(command.ok()) << c.line << command.status();
    EXPECT_EQ(command->verb, c.verb) << c.line;
    EXPECT_EQ(command->entity, c.entity) << c.line;
  }
}

TEST(CommandTest, ModifySelectsObjectsUntilTheWordSet) {
  for (const char* line : {"modify user where name=ann account=chem set fairshare=3",
                           "modify user name=ann account=chem SET fairshare=3",
                           "modify user set fairshare=3 where name=ann account=chem"}) {
    const auto command = Parse(line);
    ASSERT_TRUE(command.ok()) << line;
    ASSERT_EQ(command->where.size(), 2U) << line;
    EXPECT_EQ(command->where[1].value, "chem");
    ASSERT_EQ(command->set.size(), 1U) << line;
    EXPECT_EQ(command->set[0].value, "3");
  }
}

TEST(CommandTest, WhatPrioritydDoesNotHaveIsRefusedByNameWithTheReason) {
  for (const char* line :
       {"show wckey", "add resource x", "show tres", "add federation x", "show event",
        "show runawayjobs", "archive dump", "reconfigure", "show configuration", "show partition",
        "show reservation", "show stats", "clear stats", "shutdown"}) {
    const auto command = Parse(line);
    EXPECT_TRUE(absl::IsUnimplemented(command.status())) << line << command.status();
    EXPECT_THAT(std::string(command.status().message()),
                HasSubstr("which priorityd does not have: "));
  }
}

TEST(CommandTest, AnUnknownVerbOrEntityIsAnErrorThatListsTheKnownOnes) {
  EXPECT_THAT(std::string(Parse("nonsense").status().message()),
              HasSubstr("\"nonsense\", want add"));
  EXPECT_THAT(std::string(Parse("show nonsense").status().message()),
              HasSubstr("\"nonsense\", want account"));
  EXPECT_THAT(std::string(Parse("add").status().message()), HasSubstr("want account"));
}

}  // namespace
}  // namespace priorityd::sacctmgr
