// Reads a scenario; tests/scenarios/README.md has the format.
#ifndef PRIORITYD_TESTS_SCENARIOS_SCENARIO_FILE_H_
#define PRIORITYD_TESTS_SCENARIOS_SCENARIO_FILE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::scenarios {

// A line of a file, without spaces at its end.
struct Line {
  int number = 0;  // From 1.
  std::string text;
};

// A command and what it must answer.
struct Step {
  int line = 0;  // Of the command.
  std::string command;
  std::string arguments;  // The rest of its line.
  std::vector<Line> input;
  std::vector<std::string> expected;
};

// What is wrong, and where.
struct Failure {
  int line = 0;
  std::string message;
};

struct Scenario {
  std::vector<Step> steps;
  // Steps without `----` or without an answer, and a file without steps.
  std::vector<Failure> failures;
};

Scenario ParseScenario(absl::string_view content);

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_SCENARIO_FILE_H_
