#include "engine/errors/error_details.h"

#include <gtest/gtest.h>

namespace priorityd::errors {
namespace {

TEST(ErrorDetailsTest, TheReasonIsTheCodeUnlessGiven) {
  EXPECT_EQ(ReasonOf(absl::OkStatus()), "");
  EXPECT_EQ(ReasonOf(absl::AbortedError("x")), "ABORTED");
  EXPECT_EQ(ReasonOf(WithReason(absl::AbortedError("x"), "OTHER")), "OTHER");
}

TEST(ErrorDetailsTest, ViolationsComeBackInTheirOrder) {
  const std::vector<FieldViolation> violations = {{"a", "1"}, {"b", ""}, {"", "3"}};
  const absl::Status status = BadRequestError("BAD", violations, 4);
  EXPECT_EQ(ViolationsOf(status), violations);
  EXPECT_EQ(status.message(), "a: 1 (and 6 more)");
  EXPECT_EQ(ReasonOf(status), "BAD");
}

TEST(ErrorDetailsTest, AStatusWithoutDetailsHasNone) {
  EXPECT_TRUE(ViolationsOf(absl::AbortedError("x")).empty());
  EXPECT_FALSE(RetryDelayOf(absl::AbortedError("x")).has_value());
  EXPECT_EQ(RetryDelayOf(WithRetryDelay(absl::AbortedError("x"), absl::Seconds(2))),
            absl::Seconds(2));
}

}  // namespace
}  // namespace priorityd::errors
