#include "engine/grants/consequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::grants {
namespace {

using priority::GrantConsequence;
using priority::ReducedFactor;
using testing::HasSubstr;

Consequence ReadGood(absl::string_view text) {
  const auto read = ReadConsequence(text);
  EXPECT_TRUE(read.ok()) << text << ": " << read.status();
  return read.value_or(Consequence());
}

std::string Bad(absl::string_view text) {
  return std::string(ReadConsequence(text).status().message());
}

TEST(ConsequenceTest, WordsAreReadInAnyCase) {
  EXPECT_EQ(ReadGood("None").kind, GrantConsequence::kNone);
  EXPECT_EQ(ReadGood("BLOCK").kind, GrantConsequence::kBlock);
  EXPECT_EQ(ReadGood("refuse").kind, GrantConsequence::kRefuse);
  EXPECT_EQ(ReadGood("Warn").kind, GrantConsequence::kWarn);
}

TEST(ConsequenceTest, ADemotionIsToAQosToAPartOfAFactorOrToABand) {
  EXPECT_EQ(ReadGood("demote:low").demoted_qos, "low");
  EXPECT_EQ(ReadGood("demote:FairShare").demoted_qos, "FairShare");
  const Consequence reduced = ReadGood("demote: fairshare = 12.5%");
  EXPECT_EQ(reduced.kind, GrantConsequence::kReduce);
  EXPECT_EQ(reduced.measure.factor, ReducedFactor::kFairShare);
  EXPECT_EQ(reduced.measure.most, 0.125);
  EXPECT_EQ(ReadGood("demote:priority=0%").measure.factor, ReducedFactor::kAll);
  const Consequence band = ReadGood("Demote:band=1000");
  EXPECT_EQ(band.kind, GrantConsequence::kBand);
  EXPECT_EQ(band.measure.most, 1000);
}

TEST(ConsequenceTest, ACapIsACountOfATres) {
  const Consequence cap = ReadGood("cap:GRES/gpu=8");
  EXPECT_EQ(cap.kind, GrantConsequence::kCap);
  EXPECT_EQ(cap.measure.tres, "gres/gpu");
  EXPECT_EQ(cap.measure.most, 8);
  EXPECT_EQ(ReadGood("cap:cpu=0").measure.most, 0);
}

TEST(ConsequenceTest, ATextHasTheSameMeaning) {
  for (const char* text :
       {"none", "block", "refuse", "warn", "demote:low", "demote:FairShare=0.0001%",
        "demote:Priority=100%", "demote:Band=4294967295", "cap:license/matlab=1000000000000"}) {
    EXPECT_EQ(ConsequenceText(ReadGood(text)), text);
  }
}

TEST(ConsequenceTest, OthersAreRefusedWithWhatIsWanted) {
  EXPECT_THAT(Bad("stop"), HasSubstr("got \"stop\", want none, demote:QOS, demote:FACTOR="));
  EXPECT_THAT(Bad("demote:"), HasSubstr("want none"));
  EXPECT_THAT(Bad("demote:Nice=10%"), HasSubstr("got \"Nice=10%\", want a factor and a part"));
  EXPECT_THAT(Bad("demote:Age=100.0001%"), HasSubstr("from 0% to 100%"));
  EXPECT_THAT(Bad("demote:Age=0.5"), HasSubstr("want a factor"));
  EXPECT_THAT(Bad("demote:Band=0"), HasSubstr("got \"0\", want a whole number from 1 to 429496"));
  EXPECT_THAT(Bad("demote:Band=4294967296"), HasSubstr("to 4294967295"));
  EXPECT_THAT(Bad("cap:cpu"), HasSubstr("got \"cpu\", want a TRES and a whole number"));
  EXPECT_THAT(Bad("cap:cpu=-1"), HasSubstr("want a TRES"));
  EXPECT_THAT(Bad("cap:cpu=1000000000001"), HasSubstr("at most 1e12"));
  EXPECT_THAT(Bad("cap:wheels=1"), HasSubstr("want a TRES"));
}

}  // namespace
}  // namespace priorityd::grants
