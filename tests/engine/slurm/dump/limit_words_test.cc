#include "engine/slurm/dump/limit_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::slurm {
namespace {

using priority::LimitKind;
using priority::LimitValue;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<LimitValue> OfAssociation(absl::string_view name, absl::string_view value) {
  std::vector<LimitValue> limits;
  EXPECT_TRUE(AddAssociationLimit(name, value, &limits).value()) << name;
  return limits;
}

std::vector<LimitValue> OfQos(absl::string_view name, absl::string_view value) {
  std::vector<LimitValue> limits;
  EXPECT_TRUE(AddQosLimit(name, value, &limits).value()) << name;
  return limits;
}

TEST(LimitWordsTest, AssociationsAreReadAsDumpsWriteThem) {
  EXPECT_THAT(OfAssociation("GrpJobs", "11"), ElementsAre(LimitValue{LimitKind::kGrpJobs, "", 11}));
  EXPECT_THAT(OfAssociation("MaxTRESPerJob", "cpu=24,mem=2G"),
              ElementsAre(LimitValue{LimitKind::kMaxTres, "cpu", 24},
                          LimitValue{LimitKind::kMaxTres, "mem", 2048}));
  EXPECT_THAT(OfAssociation("MaxWallDurationPerJob", "2910"),
              ElementsAre(LimitValue{LimitKind::kMaxWall, "", 2910 * 60}));
  EXPECT_THAT(OfAssociation("GrpCPUs", "14"),
              ElementsAre(LimitValue{LimitKind::kGrpTres, "cpu", 14}));
}

TEST(LimitWordsTest, QosAreReadAsTheirTableWritesThem) {
  EXPECT_THAT(OfQos("MaxJobsPU", "3"), ElementsAre(LimitValue{LimitKind::kMaxJobs, "", 3}));
  EXPECT_THAT(OfQos("MaxTRESPerUser", "gres/gpu=2"),
              ElementsAre(LimitValue{LimitKind::kMaxTresPerUser, "gres/gpu", 2}));
  EXPECT_THAT(OfQos("MaxWall", "00:10:00"), ElementsAre(LimitValue{LimitKind::kMaxWall, "", 600}));
  EXPECT_THAT(OfQos("GrpSubmitJobs", "0"),
              ElementsAre(LimitValue{LimitKind::kGrpSubmitJobs, "", 0}));
}

TEST(LimitWordsTest, MinusOneIsNoLimit) {
  EXPECT_THAT(OfAssociation("MaxJobs", "-1"), IsEmpty());
  EXPECT_THAT(OfAssociation("GrpTRES", "cpu=-1"), IsEmpty());
  EXPECT_THAT(OfQos("MaxWall", "-1"), IsEmpty());
}

TEST(LimitWordsTest, WhatIsNoLimitIsLeftAlone) {
  std::vector<LimitValue> limits;
  EXPECT_FALSE(AddAssociationLimit("Description", "GrpJobs", &limits).value());
  EXPECT_FALSE(AddQosLimit("GraceTime", "10", &limits).value());
  EXPECT_FALSE(AddQosLimit("Nonsense", "10", &limits).value());
  EXPECT_THAT(limits, IsEmpty());
}

TEST(LimitWordsTest, AnUnreadableValueIsAnError) {
  std::vector<LimitValue> limits;
  EXPECT_EQ(AddAssociationLimit("GrpJobs", "many", &limits).status().message(),
            "got \"many\", want a whole number or -1");
  EXPECT_FALSE(AddQosLimit("MaxTRES", "cpu=many", &limits).ok());
  EXPECT_THAT(limits, IsEmpty());
}

}  // namespace
}  // namespace priorityd::slurm
