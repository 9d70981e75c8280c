#include "server/identity/token_buckets.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::identity {
namespace {

// The beginning of a second.
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

RateLimits Limits(int64_t size, int64_t rate, int64_t period = 1) {
  return {.enabled = true,
          .bucket_size = size,
          .refill_rate = rate,
          .refill_period = absl::Seconds(period)};
}

// How many of `calls` at one time are allowed.
int Allowed(TokenBuckets& buckets, absl::string_view caller, absl::Time at, int calls) {
  int allowed = 0;
  for (int i = 0; i < calls; ++i) allowed += buckets.Take(caller, caller, at).allowed();
  return allowed;
}

TEST(TokenBucketsTest, WithoutLimitsEverythingIsAllowedAndNobodyRemembered) {
  TokenBuckets buckets;
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 1000), 1000);
  EXPECT_EQ(buckets.size(), 0);
}

TEST(TokenBucketsTest, AFullBucketAtOnceAndThenTheRate) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(30, 2));
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 100), 30);
  for (int second = 1; second <= 10; ++second) {
    EXPECT_EQ(Allowed(buckets, "ann", kStart + absl::Seconds(second), 100), 2) << second;
  }
  // 20 seconds are 40 tokens, of which 30 fit.
  EXPECT_EQ(Allowed(buckets, "ann", kStart + absl::Seconds(24), 100), 28);
  EXPECT_EQ(Allowed(buckets, "ann", kStart + absl::Seconds(44), 100), 30);
}

TEST(TokenBucketsTest, PalmettosLimitsLetAThousandCallsAtOnce) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(1000, 2));
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 5000), 1000);
  EXPECT_EQ(Allowed(buckets, "ann", kStart + absl::Seconds(100), 5000), 200);
}

// As slurmctld counts: by periods of the clock, not by the time since the last call.
TEST(TokenBucketsTest, TokensComeAtTheBeginningOfEachPeriod) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(1, 1, 10));
  ASSERT_TRUE(buckets.Take("ann", "ann", kStart + absl::Seconds(9)).allowed());
  EXPECT_EQ(buckets.Take("ann", "ann", kStart + absl::Seconds(9.25)).wait, absl::Seconds(0.75));
  EXPECT_TRUE(buckets.Take("ann", "ann", kStart + absl::Seconds(10)).allowed());
  EXPECT_EQ(buckets.Take("ann", "ann", kStart + absl::Seconds(10)).wait, absl::Seconds(10));
}

TEST(TokenBucketsTest, CallersDoNotTakeEachOthersTokens) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(3, 1));
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 9), 3);
  EXPECT_EQ(Allowed(buckets, "ben", kStart, 9), 3);
}

TEST(TokenBucketsTest, ToLookTakesNothingAndRemembersNobody) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(1, 1));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(buckets.Look("ann", kStart).allowed());
  EXPECT_EQ(buckets.size(), 0);
  ASSERT_TRUE(buckets.Take("ann", "ann", kStart).allowed());
  EXPECT_FALSE(buckets.Look("ann", kStart).allowed());
  EXPECT_TRUE(buckets.Look("ann", kStart + absl::Seconds(1)).allowed());
}

TEST(TokenBucketsTest, TheTableHasABoundAndForgetsWhoCalledLongestAgo) {
  TokenBuckets buckets;
  RateLimits limits = Limits(1, 1);
  limits.table_size = 2;
  buckets.SetLimits(limits);
  ASSERT_TRUE(buckets.Take("ann", "ann", kStart).allowed());
  ASSERT_TRUE(buckets.Take("ben", "ben", kStart).allowed());
  EXPECT_FALSE(buckets.Take("ann", "ann", kStart).allowed());
  ASSERT_TRUE(buckets.Take("cat", "cat", kStart).allowed());
  EXPECT_EQ(buckets.size(), 2);
  EXPECT_FALSE(buckets.Take("ann", "ann", kStart).allowed()) << "called after ben";
  EXPECT_TRUE(buckets.Take("ben", "ben", kStart).allowed());
  for (int i = 0; i < 1000; ++i)
    buckets.Take(absl::StrCat("user", i), absl::StrCat("user", i), kStart);
  EXPECT_EQ(buckets.size(), 2);
}

TEST(TokenBucketsTest, ManyCallersOfOneAddressForgetEachOtherAndNobodyElse) {
  TokenBuckets buckets;
  RateLimits limits = Limits(1, 1);
  limits.table_size = 100;
  buckets.SetLimits(limits);
  ASSERT_TRUE(buckets.Take("ann", "ipv4:10.0.0.1", kStart).allowed());
  for (int i = 0; i < 1000; ++i) buckets.Take(absl::StrCat(i), "ipv4:10.0.0.2", kStart);
  EXPECT_EQ(buckets.size(), 11);
  EXPECT_EQ(buckets.usage().used, 11u);
  EXPECT_EQ(buckets.usage().refused, 990u);
  EXPECT_FALSE(buckets.Take("ann", "ipv4:10.0.0.1", kStart).allowed());
  EXPECT_FALSE(buckets.Take("999", "ipv4:10.0.0.2", kStart).allowed());
  EXPECT_TRUE(buckets.Take("989", "ipv4:10.0.0.2", kStart).allowed());
}

TEST(TokenBucketsTest, AFullTableForgetsBucketsOfTheAddressThatHasMost) {
  TokenBuckets buckets;
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("rate_buckets=100%").ok());
  buckets.SetParts(parts);
  RateLimits limits = Limits(1, 1);
  limits.table_size = 5;
  buckets.SetLimits(limits);
  ASSERT_TRUE(buckets.Take("ann", "here", kStart).allowed());
  for (const char* caller : {"1", "2", "3", "4"}) buckets.Take(caller, "there", kStart);
  ASSERT_TRUE(buckets.Take("ben", "elsewhere", kStart).allowed());
  EXPECT_FALSE(buckets.Take("ann", "here", kStart).allowed());
  EXPECT_FALSE(buckets.Take("4", "there", kStart).allowed());
  EXPECT_TRUE(buckets.Take("1", "there", kStart).allowed());
}

TEST(TokenBucketsTest, ARefusalOfACallerIsLoggedOnceAPeriod) {
  TokenBuckets buckets;
  RateLimits limits = Limits(1, 1, 1000);
  limits.log_period = absl::Seconds(60);
  buckets.SetLimits(limits);
  for (const char* caller : {"ann", "ben"}) {
    ASSERT_TRUE(buckets.Take(caller, caller, kStart).allowed());
    EXPECT_TRUE(buckets.Take(caller, caller, kStart).log);
    EXPECT_FALSE(buckets.Take(caller, caller, kStart + absl::Seconds(59)).log);
    EXPECT_TRUE(buckets.Take(caller, caller, kStart + absl::Seconds(60)).log);
  }
  limits.log_period = absl::ZeroDuration();
  buckets.SetLimits(limits);
  buckets.Take("ann", "ann", kStart);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(buckets.Take("ann", "ann", kStart).log);
  limits.log_period = absl::InfiniteDuration();
  buckets.SetLimits(limits);
  buckets.Take("ann", "ann", kStart);
  EXPECT_FALSE(buckets.Take("ann", "ann", kStart).log);
}

TEST(TokenBucketsTest, OtherLimitsHoldAtOnceAndTheSameChangeNothing) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(2, 1));
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 9), 2);
  buckets.SetLimits(Limits(2, 1));
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 9), 0);
  buckets.SetLimits(Limits(5, 1));
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 9), 5);
  buckets.SetLimits({});
  EXPECT_EQ(Allowed(buckets, "ann", kStart, 9), 9);
}

TEST(TokenBucketsTest, AClockThatGoesBackRefillsNothingAndContinues) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(1, 1));
  ASSERT_TRUE(buckets.Take("ann", "ann", kStart).allowed());
  EXPECT_FALSE(buckets.Take("ann", "ann", kStart - absl::Hours(1)).allowed());
  EXPECT_TRUE(buckets.Take("ann", "ann", kStart - absl::Hours(1) + absl::Seconds(1)).allowed());
  // Before the epoch too.
  ASSERT_TRUE(buckets.Take("ben", "ben", absl::UnixEpoch() - absl::Seconds(0.25)).allowed());
  EXPECT_EQ(buckets.Take("ben", "ben", absl::UnixEpoch() - absl::Seconds(0.25)).wait,
            absl::Seconds(0.25));
}

TEST(TokenBucketsTest, TheLargestNumbersDoNotOverflow) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(kMostOfRate, kMostOfRate));
  ASSERT_TRUE(buckets.Take("ann", "ann", absl::UnixEpoch()).allowed());
  EXPECT_TRUE(buckets.Take("ann", "ann", kStart + absl::Hours(1'000'000)).allowed());
}

TEST(TokenBucketsTest, ManyThreadsTakeNoTokenTwice) {
  TokenBuckets buckets;
  buckets.SetLimits(Limits(1000, 1));
  std::atomic<int> allowed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { allowed += Allowed(buckets, "ann", kStart, 1000); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allowed, 1000);
}

}  // namespace
}  // namespace priorityd::identity
