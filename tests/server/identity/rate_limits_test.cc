#include "server/identity/rate_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::identity {
namespace {

using ::testing::HasSubstr;

TEST(RateLimitsTest, TheDefaultsAreSlurms) {
  const RateLimits limits;
  EXPECT_FALSE(limits.enabled);
  EXPECT_EQ(limits.bucket_size, 30);
  EXPECT_EQ(limits.refill_rate, 2);
  EXPECT_EQ(limits.refill_period, absl::Seconds(1));
  EXPECT_EQ(limits.table_size, 8192);
  EXPECT_EQ(limits.log_period, absl::ZeroDuration());
}

TEST(RateLimitsTest, EachWordSetsItsNumber) {
  RateLimits limits;
  for (const char* word : {"rl_enable", "rl_bucket_size=1000", "RL_Refill_Rate=5",
                           "rl_refill_period=10", "rl_table_size=7", "rl_log_freq=60"}) {
    EXPECT_TRUE(ReadRateLimit(word, &limits).ok()) << word;
  }
  EXPECT_EQ(limits, (RateLimits{true, 1000, 5, absl::Seconds(10), 7, absl::Seconds(60)}));
  EXPECT_EQ(limits.Describe(), "want at most 1000 calls at once and 5 per 10s");
  EXPECT_TRUE(ReadRateLimit("rl_log_freq=-1", &limits).ok());
  EXPECT_EQ(limits.log_period, absl::InfiniteDuration());
}

TEST(RateLimitsTest, AWordThatIsNoneIsAnErrorThatQuotesIt) {
  for (const char* word :
       {"rl_enabled", "rl_enable=1", "rlenable", "enable_configless", "rl_bucket_size",
        "rl_bucket_size=", "rl_bucket_size=0", "rl_bucket_size=-1", "rl_bucket_size=1000001",
        "rl_bucket_size=1e3", "rl_refill_rate=0", "rl_refill_period=0", "rl_table_size=0",
        "rl_log_freq=-2", ""}) {
    RateLimits limits;
    const absl::Status status = ReadRateLimit(word, &limits);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << word;
    EXPECT_THAT(std::string(status.message()), HasSubstr(word));
    EXPECT_EQ(limits, RateLimits()) << word;
  }
}

}  // namespace
}  // namespace priorityd::identity
