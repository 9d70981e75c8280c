// Every command of the pages for operators and users works, in the order of the page.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/shared_priorityd.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

constexpr char kCluster[] = "page";

std::string ReadAll(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The lines of the fenced blocks.
std::vector<std::string> Commands(const std::string& page) {
  std::vector<std::string> commands;
  bool fenced = false;
  const std::vector<std::string> lines = absl::StrSplit(ReadAll(page), '\n');
  for (const std::string& line : lines) {
    if (absl::StartsWith(line, "```")) {
      fenced = !fenced;
    } else if (fenced && !line.empty()) {
      commands.push_back(line);
    }
  }
  return commands;
}

std::string SlurmConf() {
  return WriteFile("page.conf", absl::StrReplaceAll(ReadAll("tests/slurm/captured/slurm.conf"),
                                                    {{"ClusterName=lab", "ClusterName=page"}}));
}

std::string BatchScript() {
  return WriteFile("job.sh", "#!/bin/bash\n#SBATCH -N 1 -n 4 --time=10:00\nhostname\n");
}

// Runs `TOOL ARGUMENTS`, or `echo TEXT | TOOL ARGUMENTS`.
void Type(const std::string& command) {
  SCOPED_TRACE(command);
  std::vector<std::string> words = CommandWords(absl::StrReplaceAll(
      command,
      {{"$USER", "ann"}, {" slurm.conf", " " + SlurmConf()}, {" job.sh", " " + BatchScript()}}));
  std::string in;
  if (words[0] == "echo") {
    in = words[1] + "\n";
    words.erase(words.begin(), words.begin() + 3);
  }
  const std::string tool = words[0];
  words.erase(words.begin());
  words.insert(words.begin(), {"--server", SharedPriorityd().address(), "--cluster", kCluster});
  const Finished run = RunPrioctl(words, in, tool);
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(PagesTest, EveryCommandOfThePagesWorks) {
  for (const char* page : {"docs/site-by-verbs.md", "docs/for-users.md"}) {
    SCOPED_TRACE(page);
    const std::vector<std::string> commands = Commands(page);
    EXPECT_GT(commands.size(), 10);
    for (const std::string& command : commands) Type(command);
  }
}

}  // namespace
}  // namespace priorityd
