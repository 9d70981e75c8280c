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

std::optional<Rejection> FaultOfTres(absl::string_view name) {
  UsageSubmission submission = Submission("1");
  submission.tres = {{name, 1}};
  return FindFault(submission, {});
}

TEST(TresNameFaultTest, ANameThatNoListOfTresCanHoldIsRefused) {
  for (const char* name : {"gres/g pu", "gres/a,b", "gres/x=", "license/a|b", "bb/a\n"}) {
    const auto fault = FaultOfTres(name);
    ASSERT_TRUE(fault.has_value()) << name;
    EXPECT_EQ(fault->reason, RejectionReason::kInvalidText) << name;
  }
  EXPECT_EQ(FaultOfTres("gres/a\nb")->field, "tres[\"gres/a\\nb\"]");
  EXPECT_EQ(
      FaultOfTres("gres/a,b")->message,
      "got a name that no list of TRES can hold, want one without spaces, control characters, "
      "commas, = and |");
  for (const char* name : {"gres/gpu:a100", "gres/example.com/fpga", "license/fluent@server"}) {
    EXPECT_FALSE(FaultOfTres(name).has_value()) << name;
  }
}

TEST(TresNameFaultTest, TheNamesOfCountersAreCheckedToo) {
  UsageSubmission submission = Submission("");
  submission.job_id = "7";
  submission.tres = {};
  submission.billing = std::nullopt;
  submission.counters = UsageCounters{.tres_seconds = {{"gres/a b", 1}}};
  const auto fault = FindFault(submission, {});
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->field, "counters.tres_seconds[\"gres/a b\"]");
}

}  // namespace
}  // namespace priorityd::usage
