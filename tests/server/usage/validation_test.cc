#include "server/usage/validation.h"

#include <gtest/gtest.h>

#include "tests/server/usage/small_site.h"

namespace priorityd::usage {
namespace {

std::optional<Rejection> FaultOfSource(absl::string_view source) {
  UsageSubmission submission = Submission("1");
  submission.source = source;
  return FindFault(submission, {});
}

TEST(SourceFaultTest, OnlyASourceLikeThatOfADomainsMemberIsRefused) {
  for (const char* source : {"#1/alpha/slurm", "#12345678901234567890/", "#0//"}) {
    const auto fault = FaultOfSource(source);
    ASSERT_TRUE(fault.has_value()) << source;
    EXPECT_EQ(fault->reason, RejectionReason::kInvalidText);
    EXPECT_EQ(fault->field, "source");
  }
  for (const char* source : {"alpha#1/slurm", "#", "#1", "#/alpha", "#a/1", "##1/", "1/"}) {
    EXPECT_FALSE(FaultOfSource(source).has_value()) << source;
  }
}

TEST(SourceFaultTest, TheMessageShowsTheSourceEscaped) {
  EXPECT_EQ(FaultOfSource("#1/\n")->message,
            "got \"#1/\\n\", want one that does not begin with #NUMBER/, as those of members of a "
            "usage domain do");
}

}  // namespace
}  // namespace priorityd::usage
