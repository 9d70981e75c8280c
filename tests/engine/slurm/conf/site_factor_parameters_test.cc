#include "engine/slurm/conf/site_factor_parameters.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::slurm {
namespace {

using ::testing::HasSubstr;

SiteFactorParameters ParsedParameters(absl::string_view text) {
  const auto parameters = ParseSiteFactorParameters(text);
  EXPECT_TRUE(parameters.ok()) << parameters.status();
  return parameters.value_or(SiteFactorParameters());
}

TEST(SiteFactorParametersTest, TheTimeoutIsOursAndTheRestTheServices) {
  EXPECT_EQ(ParsedParameters("timeout=2").timeout, absl::Seconds(2));
  EXPECT_EQ(ParsedParameters("timeout=2").for_service, "");
  EXPECT_EQ(ParsedParameters("a=1, b ,Timeout=0.25s,c").timeout, absl::Milliseconds(250));
  EXPECT_EQ(ParsedParameters("a=1, b ,Timeout=0.25s,c").for_service, "a=1, b ,c");
  EXPECT_EQ(ParsedParameters("").timeout, absl::Seconds(5));
  EXPECT_EQ(ParsedParameters("no_timeout=3").for_service, "no_timeout=3");
}

TEST(SiteFactorParametersTest, AnImpossibleTimeoutIsRefused) {
  for (const char* text : {"timeout=", "timeout=0", "timeout=-1", "timeout=301", "timeout=soon",
                           "timeout=5m", "timeout=1e9", "x,timeout=nan"}) {
    const auto parameters = ParseSiteFactorParameters(text);
    EXPECT_TRUE(absl::IsInvalidArgument(parameters.status())) << text;
    EXPECT_THAT(std::string(parameters.status().message()), HasSubstr("seconds from 0.001 to 300"));
  }
  EXPECT_FALSE(ParseSiteFactorParameters("timeout=1,timeout=2").ok());
}

TEST(SiteFactorParametersTest, ATimeoutIsWrittenWhereItIsNotTheDefault) {
  EXPECT_EQ(FormatSiteFactorParameters(ParsedParameters("timeout=5,a=1,b")), "a=1,b");
  EXPECT_EQ(FormatSiteFactorParameters(ParsedParameters("timeout=0.25s,a=1,b")),
            "a=1,b,timeout=0.25");
  EXPECT_EQ(FormatSiteFactorParameters(ParsedParameters("timeout=300")), "timeout=300");
}

}  // namespace
}  // namespace priorityd::slurm
