#include "client/retry.h"

#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"

namespace priorityd::client {
namespace {

absl::Status WithRetryInfo(absl::Status status, int seconds) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(seconds);
  status.SetPayload("type.googleapis.com/google.rpc.RetryInfo",
                    absl::Cord(info.SerializeAsString()));
  return status;
}

// Runs calls that fail with the given errors and then succeed.
struct Attempts {
  std::vector<absl::Status> failures;
  std::vector<absl::Duration> waits;
  int calls = 0;

  absl::Status Run(const RetryPolicy& policy, absl::Time deadline = absl::InfiniteFuture()) {
    return CallWithRetry(
        policy, deadline,
        [&] {
          const size_t call = calls++;
          return call < failures.size() ? failures[call] : absl::OkStatus();
        },
        [&](absl::Duration wait) { waits.push_back(wait); });
  }
};

TEST(RetryTest, UnavailableIsRetriedWithDoublingWaits) {
  Attempts attempts{.failures = {3, absl::UnavailableError("away")}};
  EXPECT_TRUE(attempts.Run({.max_attempts = 4, .initial_backoff = absl::Seconds(1)}).ok());
  ASSERT_EQ(attempts.waits.size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(attempts.waits[i], absl::Seconds(1 << i) / 2);
    EXPECT_LE(attempts.waits[i], absl::Seconds(1 << i));
  }
}

TEST(RetryTest, TheLastErrorIsAnsweredWhenAttemptsRunOut) {
  Attempts attempts{.failures = {9, absl::UnavailableError("away")}};
  EXPECT_EQ(attempts.Run({.max_attempts = 3}), absl::UnavailableError("away"));
  EXPECT_EQ(attempts.calls, 3);
}

TEST(RetryTest, NoWaitIsLongerThanTheLongest) {
  Attempts attempts{.failures = {9, absl::UnavailableError("away")}};
  EXPECT_TRUE(attempts
                  .Run({.max_attempts = 10,
                        .initial_backoff = absl::Seconds(1),
                        .max_backoff = absl::Seconds(2)})
                  .ok());
  for (const absl::Duration wait : attempts.waits) EXPECT_LE(wait, absl::Seconds(2));
}

TEST(RetryTest, TheServiceSaysHowLongToWait) {
  Attempts attempts{.failures = {WithRetryInfo(absl::UnavailableError("busy"), 30)}};
  EXPECT_TRUE(attempts.Run({}).ok());
  ASSERT_EQ(attempts.waits.size(), 1);
  EXPECT_EQ(attempts.waits[0], absl::Seconds(30));
}

TEST(RetryTest, AFaultOfTheCallerIsFinal) {
  Attempts attempts{.failures = {absl::InvalidArgumentError("no")}};
  EXPECT_EQ(attempts.Run({}), absl::InvalidArgumentError("no"));
  EXPECT_EQ(attempts.calls, 1);
}

TEST(RetryTest, ARateLimitPassesButASizeLimitDoesNot) {
  EXPECT_TRUE(IsTransient(WithRetryInfo(absl::ResourceExhaustedError("slow down"), 1)));
  EXPECT_FALSE(IsTransient(absl::ResourceExhaustedError("message too large")));
}

absl::Status WithReason(absl::Status status, const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  status.SetPayload("type.googleapis.com/google.rpc.ErrorInfo",
                    absl::Cord(info.SerializeAsString()));
  return status;
}

TEST(RetryTest, AnAbortedCallIsRetried) {
  Attempts attempts{.failures = {2, absl::AbortedError("another recalculation")}};
  EXPECT_TRUE(attempts.Run({}).ok());
  EXPECT_EQ(attempts.calls, 3);
}

TEST(RetryTest, APageWhoseSnapshotIsGoneIsNotAskedForAgain) {
  EXPECT_FALSE(IsTransient(WithReason(absl::AbortedError("begin again"), "SNAPSHOT_GONE")));
  for (const char* changed : {"ETAG_MISMATCH", "POLICY_VERSION_MISMATCH"}) {
    EXPECT_FALSE(IsTransient(WithReason(absl::AbortedError("it has changed"), changed)));
  }
}

absl::Status RateLimited(int seconds) {
  return WithReason(WithRetryInfo(absl::ResourceExhaustedError("too many calls"), seconds),
                    "RATE_LIMITED");
}

TEST(RetryTest, ARateLimitedCallerWaitsForTheGivenDelay) {
  EXPECT_TRUE(IsRateLimited(RateLimited(1)));
  EXPECT_FALSE(IsRateLimited(WithRetryInfo(absl::ResourceExhaustedError("busy"), 1)));
  Attempts attempts{.failures = {20, RateLimited(7)}};
  EXPECT_TRUE(attempts.Run({.max_attempts = 1}).ok());
  ASSERT_EQ(attempts.waits.size(), 20);
  for (const absl::Duration wait : attempts.waits) EXPECT_GE(wait, absl::Seconds(7));
  EXPECT_EQ(Attempts({.failures = {RateLimited(3600)}}).Run({}, absl::Now() + absl::Seconds(10)),
            RateLimited(3600));
}

TEST(RetryTest, AnErrorBetweenWaitsForTheRateCountsAsItWould) {
  Attempts attempts{.failures = {RateLimited(1), absl::UnavailableError("a"), RateLimited(1),
                                 absl::UnavailableError("b")}};
  EXPECT_EQ(attempts.Run({.max_attempts = 2}), absl::UnavailableError("b"));
}

TEST(RetryTest, NoWaitGoesBeyondTheDeadline) {
  Attempts attempts{.failures = {WithRetryInfo(absl::UnavailableError("busy"), 3600)}};
  EXPECT_TRUE(absl::IsUnavailable(attempts.Run({}, absl::Now() + absl::Seconds(10))));
  EXPECT_TRUE(attempts.waits.empty());
}

}  // namespace
}  // namespace priorityd::client
