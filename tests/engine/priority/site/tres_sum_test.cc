#include "engine/priority/site/tres_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace priorityd::priority {
namespace {

TEST(TresSumTest, TextsAscendByNameAndOneTresAloneIsItsName) {
  EXPECT_EQ(TresSumText({{"gres/gpu", 20}, {"cpu", 1}}), "cpu=1,gres/gpu=20");
  EXPECT_EQ(TresSumText({{"mem", 0.25 / 1024}}), "mem=0.000244140625");
  EXPECT_EQ(TresSumText({{"cpu", 1}}), "cpu");
  EXPECT_EQ(TresSumText({{"cpu", 2}}), "cpu=2");
}

TEST(TresSumTest, WeightsAreReadBackToTheLastBit) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part(0, 1);
  for (int i = 0; i < 2000; ++i) {
    const TresMap weights = {{"cpu", std::pow(10, 18 * part(random) - 9)},
                             {"gres/gpu:a100", part(random) + 1}};
    const TresTerms terms = TresTermsOf(TresSumText(weights));
    ASSERT_EQ(terms, (TresTerms{{"cpu", weights.at("cpu")},
                                {"gres/gpu:a100", weights.at("gres/gpu:a100")}}));
  }
}

TEST(TresSumTest, ATextWithoutWeightsIsOneTres) {
  EXPECT_EQ(TresTermsOf("billing"), (TresTerms{{"billing", 1}}));
  EXPECT_EQ(TresTermsOf("gres/a=b"), (TresTerms{{"gres/a=b", 1}}));
  EXPECT_FALSE(IsTresSum("gres/gpu"));
  EXPECT_TRUE(IsTresSum("cpu=2"));
}

TEST(TresSumTest, EachTermCountsTimesItsWeight) {
  const auto counts = [](const std::string& tres) { return tres == "cpu" ? 3.0 : 2.0; };
  EXPECT_EQ(WeightedSum(TresTermsOf("cpu=0.5,gres/gpu=20"), counts), 3 * 0.5 + 2 * 20);
  EXPECT_EQ(WeightedSum(TresTermsOf("cpu"), counts), 3);
}

TEST(TresSumTest, MinutesNameTheTres) {
  EXPECT_EQ(TresUnitOf("billing").name, "billing minutes");
  EXPECT_EQ(TresUnitOf("cpu=1,gres/gpu=20").name, "minutes of cpu=1,gres/gpu=20");
  EXPECT_EQ(TresUnitOf("cpu").seconds, 60);
  EXPECT_EQ(TresUnitOf("price/academic").name, "units of price/academic");
  EXPECT_EQ(TresUnitOf("price/academic").seconds, 3600);
  EXPECT_EQ(TresUnitOf("price/academic", "EUR").name, "EUR by price/academic");
}

}  // namespace
}  // namespace priorityd::priority
