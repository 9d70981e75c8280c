#include "engine/slurm/words/tres_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(TresListTest, PriorityWeightsMayBeNegative) {
  EXPECT_THAT(ParseTresWeights("CPU=2000,Mem=-4.5,GRES/gpu=3e3").value(),
              ElementsAre(Pair("cpu", 2000), Pair("gres/gpu", 3000), Pair("mem", -4.5)));
  EXPECT_TRUE(ParseTresWeights("").value().empty());
}

// slurmctld reads the two parameters by one function: a number, then the first letter of a unit.
TEST(TresListTest, PriorityWeightsHaveTheSuffixesOfBillingWeights) {
  EXPECT_EQ(ParseTresWeights("mem=-100M").value().at("mem"), -100);
  EXPECT_EQ(ParseTresWeights("mem=4G").value().at("mem"), 4.0 / 1024);
  EXPECT_EQ(ParseTresWeights("cpu=1k").value().at("cpu"), 1.0 / 1024);
}

TEST(TresListTest, BadWeightsAreNamed) {
  const auto message = [](absl::string_view text) {
    return std::string(ParseTresWeights(text).status().message());
  };
  EXPECT_EQ(message("CPU=1,Mem=x"),
            "got \"Mem=x\", want Mem=a number, perhaps with a suffix K, M, G, T or P");
  EXPECT_EQ(message("CPU=1,cpu=2"), "got \"cpu=2\", want each TRES once");
  EXPECT_THAT(message("gpu=1"), HasSubstr("got \"gpu=1\", want cpu, mem, node"));
  EXPECT_THAT(message("cpu"), HasSubstr("want cpu=a number"));
  EXPECT_THAT(message("cpu=inf"), HasSubstr("want cpu=a number"));
  EXPECT_THAT(message("cpu=1e999"), HasSubstr("want cpu=a number"));
  EXPECT_THAT(message("cpu=1B"), HasSubstr("want cpu=a number"));
}

TEST(TresListTest, ABillingSuffixMeansPerThatManyUnits) {
  const priority::TresMap weights =
      ParseBillingWeights("CPU=1.0,Mem=0.25G,GRES/gpu=2.0,bb/cray=1T,license/x=1K,node=5").value();
  EXPECT_EQ(weights.at("cpu"), 1.0);
  EXPECT_EQ(weights.at("mem"), 0.25 / 1024);
  EXPECT_EQ(weights.at("gres/gpu"), 2.0);
  EXPECT_EQ(weights.at("bb/cray"), 1.0 / 1024 / 1024);
  EXPECT_EQ(weights.at("license/x"), 1.0 / 1024);
  EXPECT_EQ(weights.at("node"), 5);
  EXPECT_EQ(ParseBillingWeights("Mem=0.25").value().at("mem"), 0.25);
  EXPECT_EQ(ParseBillingWeights("Mem=0.25M").value().at("mem"), 0.25);
  EXPECT_EQ(ParseBillingWeights("Mem=0.25k").value().at("mem"), 256);
  EXPECT_EQ(ParseBillingWeights("Mem=0.25GB").value().at("mem"), 0.25 / 1024);
  EXPECT_EQ(ParseBillingWeights("Mem=1P").value().at("mem"), 1.0 / 1024 / 1024 / 1024);
}

TEST(TresListTest, ABillingWeightIsNotNegative) {
  EXPECT_EQ(ParseBillingWeights("cpu=-1").status().message(),
            "got \"cpu=-1\", want cpu=a number of at least 0, perhaps with a suffix K, M, G, T or "
            "P");
  EXPECT_FALSE(ParseBillingWeights("cpu=G").ok());
  EXPECT_FALSE(ParseBillingWeights("cpu=1X").ok());
}

TEST(TresListTest, ALimitOfMinusOneIsNone) {
  EXPECT_THAT(ParseTresLimits("billing=100,cpu=-1,gres/gpu:a100=3").value(),
              ElementsAre(Pair("billing", 100), Pair("gres/gpu:a100", 3)));
  EXPECT_FALSE(ParseTresLimits("cpu=1.5").ok());
  EXPECT_FALSE(ParseTresLimits("cpu=-2").ok());
}

// As sacctmgr writes what was given to it as mem=100000, mem=2048 and cpu=24.
TEST(TresListTest, LimitsMayHaveUnits) {
  EXPECT_THAT(ParseTresLimits("mem=100000M,cpu=24").value(),
              ElementsAre(Pair("cpu", 24), Pair("mem", 100000)));
  EXPECT_THAT(
      ParseTresLimits("mem=2G,bb/cray=3t,gres/shm=2K").value(),
      ElementsAre(Pair("bb/cray", 3.0 * 1024 * 1024), Pair("gres/shm", 2048), Pair("mem", 2048)));
  EXPECT_THAT(ParseTresLimits("mem=1K").value(), ElementsAre(Pair("mem", 1)));
  EXPECT_EQ(ParseTresLimits("mem=2X").status().message(),
            "got \"mem=2X\", want mem=a whole number of at most 9007199254740992, also such as "
            "1.50T with "
            "a suffix K, M, G, T or P, or -1");
  EXPECT_FALSE(ParseTresLimits("mem=M").ok());
  EXPECT_FALSE(ParseTresLimits("mem=9007199254740992G").ok());
  EXPECT_TRUE(ParseTresLimits("billing=9007199254740992").ok());
  EXPECT_FALSE(ParseTresLimits("billing=9007199254740994").ok()) << "2^53 + 2";
}

// Slurm prints halves of a unit with two decimals.
TEST(TresListTest, AmountsMayHaveHalvesOfUnits) {
  EXPECT_THAT(ParseTresLimits("mem=1.50T,cpu=1.50M,bb/cray=62.50G").value(),
              ElementsAre(Pair("bb/cray", 64'000), Pair("cpu", 1'572'864), Pair("mem", 1'572'864)));
  EXPECT_THAT(ParseTresLimits("mem=0.50M").value(), ElementsAre(Pair("mem", 1)));
  EXPECT_THAT(ParseGres("craynetwork:1.50K").value(), ElementsAre(Pair("gres/craynetwork", 1536)));
  for (const char* bad : {"mem=.5G", "mem=1.5.0G", "mem=1.5", "mem=1e3G", "mem=+1G"}) {
    EXPECT_FALSE(ParseTresLimits(bad).ok()) << bad;
  }
}

TEST(TresListTest, TypedGresCountsTwice) {
  EXPECT_THAT(ParseGres("gpu:a100:4(S:0,1),gpu:v100:2,shm:no_consume:4K,ssd").value(),
              ElementsAre(Pair("gres/gpu", 6), Pair("gres/gpu:a100", 4), Pair("gres/gpu:v100", 2),
                          Pair("gres/shm", 4096), Pair("gres/ssd", 1)));
  EXPECT_THAT(ParseGres("gpu:4").value(), ElementsAre(Pair("gres/gpu", 4)));
  EXPECT_THAT(ParseGres("gpu:tesla").value(),
              ElementsAre(Pair("gres/gpu", 1), Pair("gres/gpu:tesla", 1)));
  EXPECT_THAT(ParseGres("(null)").value(), ElementsAre());
}

TEST(TresListTest, BadGresIsNamed) {
  EXPECT_EQ(ParseGres("gpu:a:b:4").status().message(),
            "got \"gpu:a:b:4\", want NAME, NAME:COUNT or NAME:TYPE:COUNT");
  EXPECT_FALSE(ParseGres(":4").ok());
  EXPECT_FALSE(ParseGres("gpu::4").ok());
}

TEST(TresListTest, LicensesHaveCountsAndServers) {
  EXPECT_THAT(ParseLicenses("matlab:10,Fluent@flex:5;ansys").value(),
              ElementsAre(Pair("license/ansys", 1), Pair("license/fluent@flex", 5),
                          Pair("license/matlab", 10)));
  EXPECT_EQ(ParseLicenses("matlab:x").status().message(),
            "got \"matlab:x\", want NAME or NAME:COUNT");
  EXPECT_THAT(ParseLicenses("a:3,b,a:2;a").value(),
              ElementsAre(Pair("license/a", 6), Pair("license/b", 1)));
  EXPECT_EQ(ParseLicenses("A:2,a:3").status().message(), "got \"a:3\", want A, as before");
  EXPECT_FALSE(ParseLicenses(":3").ok());
}

TEST(TresListTest, AListHasNoMoreNamesThanAClusterHasTres) {
  const auto list = [](const std::string& begin, const std::string& end, int names) {
    std::string text;
    for (int i = 0; i < names; ++i) absl::StrAppend(&text, begin, i, end, ",");
    return text;
  };
  EXPECT_EQ(ParseTresWeights(list("gres/g", "=1", 1000)).value().size(), 1000U);
  const std::string refused = "got more than 1000 TRES, want at most as many";
  EXPECT_EQ(ParseTresWeights(list("gres/g", "=1", 1001)).status().message(), refused);
  EXPECT_EQ(ParseBillingWeights(list("gres/g", "=1", 1001)).status().message(), refused);
  EXPECT_EQ(ParseGres(list("g", ":1", 1001)).status().message(), refused);
  EXPECT_EQ(ParseLicenses(list("l", ":1", 1001)).status().message(), refused);
}

}  // namespace
}  // namespace priorityd::slurm
