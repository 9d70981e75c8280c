#include "client/prioctl/script/script_options.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::script {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Read(const std::string& lines) {
  const auto options = ReadScriptOptions("job.sh", "#!/bin/bash\n" + lines);
  EXPECT_TRUE(options.ok()) << options.status();
  std::vector<std::string> texts;
  if (!options.ok()) return texts;
  for (const ScriptOption& option : *options) {
    texts.push_back(absl::StrCat(option.line, ":", option.name, "=", option.value));
  }
  return texts;
}

std::string Error(const std::string& lines) {
  return std::string(ReadScriptOptions("job.sh", "#!/bin/bash\n" + lines).status().message());
}

TEST(ScriptOptionsTest, LongAndShortOnesHaveTheirValuesAsSbatchTakesThem) {
  EXPECT_THAT(
      Read("#SBATCH --nodes=2 -n 4\n#SBATCH -c8 -A science --hold\n"),
      ElementsAre("2:nodes=2", "2:ntasks=4", "3:cpus-per-task=8", "3:account=science", "3:hold="));
  EXPECT_THAT(Read("#SBATCH --partition gpu\n"), ElementsAre("2:partition=gpu"));
  EXPECT_THAT(Read("#SBATCH -HN2\n"), ElementsAre("2:hold=", "2:nodes=2"));
  EXPECT_THAT(Read("#SBATCH --nice --nice=5\n"), ElementsAre("2:nice=", "2:nice=5"));
  EXPECT_THAT(Read("#SBATCH --part=a --tasks-per-node=3\n"),
              ElementsAre("2:partition=a", "2:ntasks-per-node=3"));
}

TEST(ScriptOptionsTest, QuotesHoldBlanksAndACommentEndsALine) {
  EXPECT_THAT(Read("#SBATCH -J \"a name\" --comment='x # y' # rest --nodes=9\n"),
              ElementsAre("2:job-name=a name", "2:comment=x # y"));
  EXPECT_THAT(Read("#SBATCH -J a\\ b\n"), ElementsAre("2:job-name=a b"));
}

TEST(ScriptOptionsTest, OptionsEndAtTheFirstCommand) {
  EXPECT_THAT(Read("\n# a remark\n#SBATCH -N1\n\nmodule load x\n#SBATCH -N9\n"),
              ElementsAre("4:nodes=1"));
}

TEST(ScriptOptionsTest, WhatSbatchRefusesIsAnErrorWithItsLine) {
  EXPECT_EQ(Error("#SBATCH -N1\n#SBATCH --nonsense=2\n"),
            "job.sh line 3: got --nonsense, which sbatch does not have");
  EXPECT_EQ(Error("#SBATCH -y\n"), "job.sh line 2: got -y, which sbatch does not have");
  EXPECT_EQ(Error("#SBATCH --nodes\n"), "job.sh line 2: --nodes: got no value, want one");
  EXPECT_EQ(Error("#SBATCH --hold=1\n"), "job.sh line 2: --hold: got a value, want none");
  EXPECT_EQ(Error("#SBATCH -J \"a\n"), "job.sh line 2: got an open quote, want \"");
  EXPECT_EQ(Error("#SBATCH -N1 extra\n"), "job.sh line 2: got \"extra\", want options");
  EXPECT_EQ(Error("#SBATCH --mem-=1\n"),
            "job.sh line 2: got --mem-, which is --mem-per-cpu or --mem-per-gpu");
  EXPECT_EQ(ReadScriptOptions("job.sh", "echo\n").status().message(),
            "job.sh line 1: got no batch script, want #! and the path of an interpreter, as "
            "sbatch");
}

}  // namespace
}  // namespace priorityd::script
