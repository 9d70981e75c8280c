#include "server/administration/tree/tree_settings.h"

#include <gtest/gtest.h>

#include "engine/errors/error_details.h"

namespace priorityd::administration {
namespace {

constexpr SettingOperator kTreeSet = SettingOperator::kSet;

// What one setting does to an association that has `options` set by others.
struct WordCase {
  const char* name;
  const char* value;
  const char* word;      // Whose value is then looked at.
  const char* expected;  // As a dump has it; empty = unset.
};

TEST(TreeSettingsTest, EachWordIsSetInTheFormOfADump) {
  const WordCase cases[] = {
      {"fair", "40", "Fairshare", "40"},
      {"Shares", "parent", "Fairshare", "2147483647"},
      {"rawshares", "-1", "Fairshare", "1"},
      {"Priority", "7", "Priority", "7"},
      {"Priority", "", "Priority", ""},
      {"QosLevel", "a, b", "QOS", "a,b"},
      {"qos", "", "QOS", ""},
      {"DefaultQOS", "a", "DefaultQOS", "a"},
      {"DefaultQOS", "-1", "DefaultQOS", ""},
      {"MaxSubmit", "3", "MaxSubmitJobs", "3"},
      {"GrpSubmit", "3", "GrpSubmitJobs", "3"},
      {"GrpWall", "1-2:03:00", "GrpWall", "1563"},
      {"MaxWall", "2:10", "MaxWallDurationPerJob", "3"},
      {"MaxWall", "UNLIMITED", "MaxWallDurationPerJob", ""},
      {"MaxTRES", "CPU=4,mem=2G", "MaxTRESPerJob", "cpu=4,mem=2G"},
      {"MaxNodes", "5", "MaxTRESPerJob", "node=5"},
      {"GrpCPUMins", "5", "GrpTRESMins", "cpu=5"},
      {"GrpMemory", "2048", "GrpTRES", "mem=2G"},
      {"org", "the lab", "Organization", "the lab"},
  };
  for (const WordCase& one : cases) {
    const auto settings =
        ReadSettings({{one.name, kTreeSet, one.value}}, SettingsOf::kAssociations);
    ASSERT_TRUE(settings.ok()) << one.name << settings.status();
    slurm::DumpAssociation line;
    ASSERT_TRUE(Apply(settings->words.at(0), std::nullopt, &line).ok()) << one.name;
    EXPECT_EQ(slurm::DumpValue(*slurm::FindAssociationWord(one.word), line).value_or(""),
              one.expected)
        << one.name << "=" << one.value;
  }
}

TEST(TreeSettingsTest, AnAbbreviationIsTakenWhereOneWordIsMeant) {
  const auto word = [](const char* name) {
    const auto settings = ReadSettings({{name, kTreeSet, "1"}}, SettingsOf::kAssociations);
    return settings.ok() ? std::string(settings->words.at(0).word->name)
                         : std::string(settings.status().message());
  };
  EXPECT_EQ(word("f"), "Fairshare");
  EXPECT_EQ(word("MAXJ"), "MaxJobs");
  EXPECT_EQ(word("maxjobsa"), "MaxJobsAccrue");
  EXPECT_EQ(word("grpw"), "GrpWall");
  EXPECT_NE(word("p").find("it may be"), std::string::npos);
  EXPECT_NE(word("max").find("it may be"), std::string::npos);
  EXPECT_NE(word("shape").find("want one of"), std::string::npos);
}

TEST(TreeSettingsTest, WordsOfUsersAreNoneOfAssociations) {
  const Setting level{"AdminLevel", kTreeSet, "op"};
  EXPECT_FALSE(ReadSettings({level}, SettingsOf::kAssociations).ok());
  EXPECT_EQ(*ReadSettings({level}, SettingsOf::kUsers)->admin_level, "Operator");
  EXPECT_EQ(*ReadSettings({level}, SettingsOf::kNewAssociations)->admin_level, "Operator");
  EXPECT_FALSE(ReadSettings({{"Fairshare", kTreeSet, "1"}}, SettingsOf::kUsers).ok());
  EXPECT_FALSE(ReadSettings({{"Parent", kTreeSet, "x"}}, SettingsOf::kNewAssociations).ok());
}

TEST(TreeSettingsTest, AllThatIsWrongIsNamed) {
  const auto settings = ReadSettings({{"Fairshare", kTreeSet, "1"},
                                      {"Fairshare", kTreeSet, "2"},
                                      {"MaxJobs", kTreeSet, "many"},
                                      {"Description", kTreeSet, "a\nb"},
                                      {"GrpJobs", SettingOperator::kAdd, "1"}},
                                     SettingsOf::kAssociations);
  std::string fields;
  for (const auto& violation : errors::ViolationsOf(settings.status())) {
    fields += violation.field + " ";
  }
  EXPECT_EQ(fields, "settings[1].name settings[2].value settings[3].value settings[4].operator ");
}

TEST(TreeSettingsTest, AListIsChangedFromWhatHolds) {
  const auto apply = [](const Setting& setting, std::optional<NameList> own,
                        const std::optional<NameList>& inherited) -> std::string {
    slurm::DumpAssociation line;
    line.association.qos = std::move(own);
    const auto settings = ReadSettings({setting}, SettingsOf::kAssociations);
    if (!Apply(settings->words.at(0), inherited, &line).ok()) return "refused";
    return slurm::DumpValue(*slurm::FindAssociationWord("QOS"), line).value_or("inherited");
  };
  const Setting add{"QOS", SettingOperator::kAdd, "c,a"};
  const Setting remove{"QOS", SettingOperator::kRemove, "a"};
  const NameList ab = {"a", "b"};
  EXPECT_EQ(apply(add, ab, NameList{"z"}), "a,b,c");
  EXPECT_EQ(apply(add, std::nullopt, ab), "a,b,c");
  EXPECT_EQ(apply(add, std::nullopt, std::nullopt), "refused");
  EXPECT_EQ(apply(remove, ab, std::nullopt), "b");
  EXPECT_EQ(apply(remove, NameList{"a"}, std::nullopt), "refused");
  EXPECT_EQ(apply({"QOS", kTreeSet, "+c,-a"}, ab, std::nullopt), "b,c");
  EXPECT_EQ(apply({"QOS", kTreeSet, ""}, ab, std::nullopt), "inherited");
}

TEST(TreeSettingsTest, WhatIsOnlyKeptStandsInTheOrderOfDumps) {
  slurm::DumpAssociation line;
  const auto settings = ReadSettings({{"MaxJobs", kTreeSet, "3"},
                                      {"GrpJobs", kTreeSet, "2"},
                                      {"MaxTRESPerNode", kTreeSet, "cpu=1"}},
                                     SettingsOf::kAssociations);
  for (const WordSetting& setting : settings->words) {
    ASSERT_TRUE(Apply(setting, std::nullopt, &line).ok());
  }
  const std::vector<slurm::DumpOption> expected = {
      {"GrpJobs", "2"}, {"MaxTRESPerNode", "cpu=1"}, {"MaxJobs", "3"}};
  EXPECT_EQ(line.other_options, expected);
}

}  // namespace
}  // namespace priorityd::administration
