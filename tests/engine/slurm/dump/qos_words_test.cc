#include "engine/slurm/dump/qos_words.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace priorityd::slurm {
namespace {

using Cells = std::map<std::string, std::string>;

std::string NameOf(const char* typed) {
  const auto word = FindQosWord(typed);
  return word.ok() ? std::string(word->name) : std::string(word.status().message());
}

absl::Status Set(const char* word, const char* text, QosRow& row) {
  return SetQosCell(*FindQosWord(word), text, row);
}

TEST(QosWordsTest, AWordIsFoundByItsOtherNamesAndInAnyCase) {
  EXPECT_EQ(NameOf("priority"), "Priority");
  for (const char* name : {"MaxSubmitJobsPerUser", "maxsubmitjobspu", "MAXSUBMITPU"}) {
    EXPECT_EQ(NameOf(name), "MaxSubmitPU") << name;
  }
  EXPECT_EQ(NameOf("UsageThreshold"), "UsageThres");
  EXPECT_EQ(NameOf("MaxTRESPerJob"), "MaxTRES");
  EXPECT_EQ(NameOf("MaxWallDurationPerJob"), "MaxWall");
}

TEST(QosWordsTest, AWordMayBeAbbreviatedAsFarAsItCanBeNoOther) {
  EXPECT_EQ(NameOf("desc"), "Description");
  EXPECT_EQ(NameOf("prio"), "Priority");
  EXPECT_EQ(NameOf("grptresm"), "GrpTRESMins");
  EXPECT_EQ(NameOf("Preempt"), "Preempt");  // All of a word, though others begin with it.
  EXPECT_EQ(NameOf("usage"), "got \"usage\", want only one of UsageFactor, UsageThres");
}

TEST(QosWordsTest, AnUnknownWordIsReportedWithTheKnownWords) {
  EXPECT_EQ(NameOf("Colour").substr(0, 44), "got \"Colour\", want one of Priority, UsageFac");
}

TEST(QosWordsTest, ASetValueIsPrinted) {
  QosRow row;
  EXPECT_EQ(QosCells(row), (Cells{{"Priority", "0"}, {"UsageFactor", "1"}}));
  for (const auto& [word, text] : Cells{{"Priority", "1000"},
                                        {"UsageFactor", "0.5"},
                                        {"UsageThres", "0.25"},
                                        {"Flags", "denyonlimit,NODECAY"},
                                        {"Preempt", "low,scavenge"},
                                        {"GrpTRESMins", "cpu=100,gres/gpu=3,mem=2048"},
                                        {"GrpWall", "1-00:00:00"},
                                        {"MaxSubmitPU", "7"},
                                        {"MaxWall", "12:00:00"},
                                        {"MaxTRESPU", "cpu=64"}}) {
    EXPECT_TRUE(Set(word.c_str(), text.c_str(), row).ok()) << word;
  }
  EXPECT_TRUE(row.qos.no_decay);
  EXPECT_EQ(QosCells(row), (Cells{{"Priority", "1000"},
                                  {"UsageFactor", "0.5"},
                                  {"UsageThres", "0.25"},
                                  {"Flags", "DenyOnLimit,NoDecay"},
                                  {"Preempt", "low,scavenge"},
                                  {"GrpTRESMins", "cpu=100,gres/gpu=3,mem=2G"},
                                  {"GrpWall", "1-00:00:00"},
                                  {"MaxSubmitPU", "7"},
                                  {"MaxWall", "12:00:00"},
                                  {"MaxTRESPU", "cpu=64"}}));
}

TEST(QosWordsTest, NothingTakesAWordBack) {
  QosRow row;
  for (const char* word : {"Flags", "Preempt", "GrpTRESMins", "GrpWall", "MaxSubmitPU", "MaxWall",
                           "UsageThres", "Priority", "UsageFactor"}) {
    const std::string name = word;
    const char* text = name == "Flags"         ? "NoDecay"
                       : name == "Preempt"     ? "low"
                       : name == "GrpTRESMins" ? "cpu=4"
                                               : "4";
    ASSERT_TRUE(Set(word, text, row).ok()) << word;
    ASSERT_TRUE(Set(word, "", row).ok()) << word;
  }
  EXPECT_EQ(QosCells(row), QosCells(QosRow()));
  EXPECT_FALSE(row.qos.no_decay);
}

TEST(QosWordsTest, AnImpossibleValueIsReportedWithThePossibleOnes) {
  QosRow row;
  for (const auto& [word, text] : Cells{{"Priority", "many"},
                                        {"UsageFactor", "-2"},
                                        {"Flags", "NoDecay,Shiny"},
                                        {"GrpTRESMins", "cpu=lots"},
                                        {"MaxJobsPU", "1.5"},
                                        {"MaxWall", "tomorrow"},
                                        {"MaxTRES", "furlongs=3"},
                                        {"PreemptMode", "politely"}}) {
    const absl::Status status = Set(word.c_str(), text.c_str(), row);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << word;
    EXPECT_NE(status.message().find("got \""), absl::string_view::npos) << status;
  }
}

TEST(QosWordsTest, ALimitThatAFileNamedOtherwiseIsTheSameWord) {
  QosRow row;
  row.others.emplace_back("MaxTRESPerJob", "cpu=1");
  EXPECT_EQ(QosCell(*FindQosWord("MaxTRES"), row), "cpu=1");
  ASSERT_TRUE(Set("MaxTRES", "cpu=2", row).ok());
  ASSERT_EQ(row.others.size(), 1u);
  EXPECT_EQ(row.others[0].second, "cpu=2");
}

}  // namespace
}  // namespace priorityd::slurm
