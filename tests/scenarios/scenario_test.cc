// Plays every tests/scenarios/*.txt against real servers on a real PostgreSQL; each is
// a test by its name.
#include <glob.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/player.h"
#include "tests/scenarios/site.h"

namespace priorityd::scenarios {
namespace {

constexpr absl::string_view kFolder = "tests/scenarios/";
constexpr absl::string_view kSuffix = ".txt";

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  glob_t found = {};
  if (glob("tests/scenarios/*.txt", 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      absl::string_view name = found.gl_pathv[i];
      name.remove_prefix(kFolder.size());
      name.remove_suffix(kSuffix.size());
      names.emplace_back(name);
    }
  }
  globfree(&found);
  return names;
}

std::string Content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

class ScenarioTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, GoesAsWritten) {
  const std::string path = std::string(kFolder) + GetParam() + std::string(kSuffix);
  Site site;
  for (const Failure& failure : Play(Content(path), AllCommands(), site)) {
    ADD_FAILURE_AT(path.c_str(), failure.line) << failure.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioTest, ::testing::ValuesIn(ScenarioNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace priorityd::scenarios
