// The driver itself: what it reports of a scenario that does not go as written. None of
// this needs a server.
#include "tests/scenarios/player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Answers its input, or the word `ok`.
absl::StatusOr<std::string> Echo(Call& call) {
  call.arguments.Text("known");
  call.arguments.Duration("wait");
  call.arguments.Number("count");
  return call.step.input.empty() ? "ok" : InputText(call);
}

absl::StatusOr<std::string> ReadLines(Call& call) {
  const absl::Status read = ForEachLine(call, [](Arguments& line) { line.Text("known"); });
  if (!read.ok()) return read;
  return "ok";
}

// `LINE: message` of each failure.
std::vector<std::string> Failures(const std::string& content) {
  const Commands commands = {
      {"echo", {Echo, Input::kText}}, {"lines", {ReadLines, Input::kLines}}, {"plain", {Echo}}};
  Site site;
  std::vector<std::string> failures;
  for (const Failure& failure : Play(content, commands, site)) {
    failures.push_back(absl::StrCat(failure.line, ": ", failure.message));
  }
  return failures;
}

// As above, of the commands that scenarios have.
std::vector<std::string> FailuresOfRealCommands(const std::string& content) {
  Site site;
  std::vector<std::string> failures;
  for (const Failure& failure : Play(content, AllCommands(), site)) {
    failures.push_back(absl::StrCat(failure.line, ": ", failure.message));
  }
  return failures;
}

TEST(PlayerTest, AScenarioThatGoesAsWrittenHasNoFailures) {
  EXPECT_THAT(Failures("# Prose.\n\necho\none\n# two\n----\none\n# two\n\n# More.\n"), IsEmpty());
}

TEST(PlayerTest, AWrongExpectationIsADiffAtTheLineOfTheCommand) {
  EXPECT_THAT(Failures("# Prose.\n\necho\na\nb\nc\nd\n----\na\nx\ny\nd\n"),
              ElementsAre("3: echo \n  a\n- x\n- y\n+ b\n+ c\n  d\n"));
}

TEST(PlayerTest, ALineTooManyAndALineTooFewAreReported) {
  EXPECT_THAT(Failures("echo\na\na\n----\na\n"), ElementsAre("1: echo \n  a\n+ a\n"));
  EXPECT_THAT(Failures("echo\na\n----\na\na\n"), ElementsAre("1: echo \n  a\n- a\n"));
}

TEST(PlayerTest, BlanksInALineCountButThoseAtItsEndDoNot) {
  EXPECT_THAT(Failures("echo\na b\n----\na  b\n"), ElementsAre("1: echo \n- a  b\n+ a b\n"));
  EXPECT_THAT(Failures("echo\na b  \n----\na b\n"), IsEmpty());
}

TEST(PlayerTest, EveryStepIsPlayedWhateverBecomesOfOthers) {
  EXPECT_THAT(Failures("echo\n----\nno\n\nwhat\n----\nok\n\necho\n----\nok\n"),
              ElementsAre("1: echo \n- no\n+ ok\n", "5: unknown command: what"));
}

TEST(PlayerTest, AnUnknownArgumentIsAFailure) {
  EXPECT_THAT(Failures("echo known=1 other=2\n----\nok\n"),
              ElementsAre("1: echo known=1 other=2: unknown argument: other"));
  EXPECT_THAT(Failures("echo word\n----\nok\n"),
              ElementsAre("1: echo word: unknown argument: word"));
  EXPECT_THAT(Failures("echo known=1 known=2\n----\nok\n"),
              ElementsAre("1: echo known=1 known=2: unknown argument: known"));
}

TEST(PlayerTest, AnUnknownArgumentInALineOfInputNamesTheLine) {
  EXPECT_THAT(Failures("lines\nknown=1\nother=2\n----\nok\n"),
              ElementsAre("1: lines : line 3: unknown argument: other"));
}

TEST(PlayerTest, AValueThatCannotBeReadIsAFailure) {
  EXPECT_THAT(Failures("echo wait=soon\n----\nok\n"),
              ElementsAre("1: echo wait=soon: wait: got soon, want a duration such as 7d, 1d12h or "
                          "90s"));
  EXPECT_THAT(Failures("echo count=many\n----\nok\n"),
              ElementsAre("1: echo count=many: count: got many, want a number"));
}

TEST(PlayerTest, InputForACommandThatTakesNoneIsAFailure) {
  EXPECT_THAT(Failures("plain\na\n----\nok\n"),
              ElementsAre("1: plain : got lines of input, want none"));
}

TEST(PlayerTest, AFileThatIsNotWellWrittenIsNotPlayed) {
  EXPECT_THAT(Failures("echo\n\necho\n----\n\necho\n----\nno\n"),
              ElementsAre("1: no ---- before the next empty line", "3: nothing below ----"));
  EXPECT_THAT(Failures("# Only prose.\n"), ElementsAre("1: no commands"));
}

TEST(PlayerTest, TheCommandsOfScenariosCheckTheirArguments) {
  EXPECT_THAT(FailuresOfRealCommands("recalculate at=2026-01-05 for=1d\n----\nok\n"),
              ElementsAre("1: recalculate at=2026-01-05 for=1d: unknown argument: for"));
  EXPECT_THAT(FailuresOfRealCommands("upsert\n1 user=amy state=dead submit=2026-01-05\n----\nok\n"),
              ElementsAre("1: upsert : line 2: unknown argument: state"));
  EXPECT_THAT(FailuresOfRealCommands("grant create chem Amounts=5\n----\nok\n"),
              ElementsAre("1: grant create chem Amounts=5: unknown argument: Amounts"));
  EXPECT_THAT(FailuresOfRealCommands("grant lend chem\n----\nok\n"),
              ElementsAre("1: grant lend chem: got lend, want create, update, transfer or revoke"));
  EXPECT_THAT(FailuresOfRealCommands("kill server=z\n----\nok\n"),
              ElementsAre("1: kill server=z: server z does not run"));
}

TEST(PlayerTest, TimeThatWasNeverSetIsAFailure) {
  EXPECT_THAT(FailuresOfRealCommands("advance 1d\n----\nok\n"),
              ElementsAre("1: advance 1d: recalculate at=TIME first"));
}

}  // namespace
}  // namespace priorityd::scenarios
