#include "tests/scenarios/player.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"

namespace priorityd::scenarios {
namespace {

constexpr absl::Duration kAnswerPatience = absl::Minutes(1);
constexpr absl::Duration kBetweenQuestions = absl::Milliseconds(10);

using Lines = std::vector<std::string>;

Lines AnswerLines(absl::string_view answer) {
  return absl::StrSplit(absl::StripTrailingAsciiWhitespace(answer), '\n');
}

void AppendLines(const char* mark, Lines::const_iterator begin, Lines::const_iterator end,
                 std::string* text) {
  for (; begin != end; ++begin) absl::StrAppend(text, mark, *begin, "\n");
}

// Lines that both begin or end with, and between them what was expected (-) and what
// came (+).
std::string Diff(const Lines& expected, const Lines& got) {
  const auto first = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end()).first;
  const auto head = first - expected.begin();
  const auto last =
      std::mismatch(expected.rbegin(), expected.rend() - head, got.rbegin(), got.rend() - head)
          .first;
  const auto tail = last - expected.rbegin();
  std::string text;
  AppendLines("  ", expected.begin(), first, &text);
  AppendLines("- ", first, expected.end() - tail, &text);
  AppendLines("+ ", got.begin() + head, got.end() - tail, &text);
  AppendLines("  ", expected.end() - tail, expected.end(), &text);
  return text;
}

absl::StatusOr<std::string> Run(const Command& command, const Step& step, Site& site) {
  if (command.input == Input::kNone && !step.input.empty()) {
    return absl::InvalidArgumentError("got lines of input, want none");
  }
  Call call{site, step, Arguments(step.arguments)};
  absl::StatusOr<std::string> answer = command.run(call);
  if (!answer.ok()) return answer;
  if (absl::Status s = call.arguments.Finish(); !s.ok()) return s;
  return answer;
}

// Asked again until it answers what is expected, where that makes sense.
absl::StatusOr<Lines> Answer(const Command& command, const Step& step, Site& site) {
  const bool patient = command.reads_only && Arguments(step.arguments).Has("server");
  for (const absl::Time until = absl::Now() + kAnswerPatience;;) {
    const auto answer = Run(command, step, site);
    if (!answer.ok()) return answer.status();
    Lines lines = AnswerLines(*answer);
    if (!patient || lines == step.expected || absl::Now() > until) return lines;
    absl::SleepFor(kBetweenQuestions);
  }
}

std::optional<Failure> PlayStep(const Step& step, const Commands& commands, Site& site) {
  const std::string command_line = absl::StrCat(step.command, " ", step.arguments);
  const auto command = commands.find(step.command);
  if (command == commands.end()) {
    return Failure{step.line, absl::StrCat("unknown command: ", step.command)};
  }
  const auto got = Answer(command->second, step, site);
  if (!got.ok()) {
    return Failure{step.line, absl::StrCat(command_line, ": ", got.status().message())};
  }
  if (*got == step.expected) return std::nullopt;
  return Failure{step.line, absl::StrCat(command_line, "\n", Diff(step.expected, *got))};
}

}  // namespace

std::vector<Failure> Play(absl::string_view content, const Commands& commands, Site& site) {
  Scenario scenario = ParseScenario(content);
  // A file that is not well written is not played.
  if (!scenario.failures.empty()) return scenario.failures;
  std::vector<Failure> failures;
  for (const Step& step : scenario.steps) {
    if (auto failure = PlayStep(step, commands, site)) failures.push_back(*std::move(failure));
  }
  return failures;
}

}  // namespace priorityd::scenarios
