#include "client/slurm/commands.h"

#include <fstream>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_folder.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::HasSubstr;

TEST(CommandsTest, PrintsTheAnswerThatIsGiven) {
  const auto out = MakeRunCommand({})({"cat"}, "two\nlines\n");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*out, "two\nlines\n");
}

TEST(CommandsTest, NoShellSeesTheWords) {
  const auto out = MakeRunCommand({})({"printf", "%s|", "a b", "$HOME", "`id`", ";", "*"}, "");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*out, "a b|$HOME|`id`|;|*|");
}

// ssh gives all words to a shell over there: here sh plays it.
TEST(CommandsTest, BehindSshWordsReachTheProgramAsTheyAre) {
  const TemporaryFolder folder;
  const std::string ssh = folder.path() + "/ssh";
  std::ofstream(ssh) << "#!/bin/sh\nshift\nexec sh -c \"$*\"\n";
  ASSERT_EQ(system(("chmod +x " + ssh).c_str()), 0);
  const auto out = MakeRunCommand({.through = {ssh, "login1"}})(
      {"printf", "%s\\n", "%i|%r", "it's", "$HOME"}, "");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*out, "%i|%r\nit's\n$HOME\n");
}

TEST(CommandsTest, AFailureSaysWhatTheCommandSaid) {
  const auto out = MakeRunCommand({})({"sh", "-c", "echo no controller >&2; exit 1"}, "");
  EXPECT_EQ(out.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(out.status().message(), HasSubstr("no controller"));
}

TEST(CommandsTest, AMissingProgramIsUnavailable) {
  const auto out = MakeRunCommand({})({"no-such-program"}, "");
  EXPECT_EQ(out.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(out.status().message(), HasSubstr("no-such-program"));
}

TEST(CommandsTest, WhatTakesTooLongIsKilledWithItsChildren) {
  const absl::Time begun = absl::Now();
  const auto out = MakeRunCommand({.timeout = absl::Milliseconds(100)})(
      {"sh", "-c", "sleep 600 & sleep 600"}, "");
  EXPECT_EQ(out.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_LT(absl::Now() - begun, absl::Seconds(60));
}

TEST(CommandsTest, WhatPrintsTooMuchIsKilled) {
  const auto out = MakeRunCommand({.max_output_bytes = 1000})({"yes"}, "");
  EXPECT_EQ(out.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace priorityd::slurm_frontend
