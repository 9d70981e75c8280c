#include "tests/scenarios/scenario_file.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace priorityd::scenarios {
namespace {

constexpr absl::string_view kAnswer = "----";

std::vector<Line> LinesOf(absl::string_view content) {
  std::vector<Line> lines;
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    lines.push_back({static_cast<int>(lines.size()) + 1,
                     std::string(absl::StripTrailingAsciiWhitespace(line))});
  }
  return lines;
}

bool IsProse(const Line& line) { return line.text.empty() || absl::StartsWith(line.text, "#"); }

Step CommandOf(const Line& line) {
  const std::pair<std::string, std::string> words =
      absl::StrSplit(line.text, absl::MaxSplits(' ', 1));
  return {.line = line.number, .command = words.first, .arguments = words.second};
}

// The step that begins at `*at`; moves on to the empty line that ends it.
Step ParseStep(const std::vector<Line>& lines, size_t* at, std::vector<Failure>* failures) {
  Step step = CommandOf(lines[(*at)++]);
  const auto ended = [&] { return *at == lines.size() || lines[*at].text.empty(); };
  while (!ended() && lines[*at].text != kAnswer) step.input.push_back(lines[(*at)++]);
  if (ended()) {
    failures->push_back({step.line, "no ---- before the next empty line"});
    return step;
  }
  for (++*at; !ended(); ++*at) step.expected.push_back(lines[*at].text);
  if (step.expected.empty()) failures->push_back({step.line, "nothing below ----"});
  return step;
}

}  // namespace

Scenario ParseScenario(absl::string_view content) {
  Scenario scenario;
  const std::vector<Line> lines = LinesOf(content);
  for (size_t at = 0; at < lines.size();) {
    if (IsProse(lines[at])) {
      ++at;
    } else {
      scenario.steps.push_back(ParseStep(lines, &at, &scenario.failures));
    }
  }
  if (scenario.steps.empty()) scenario.failures.push_back({1, "no commands"});
  return scenario;
}

}  // namespace priorityd::scenarios
