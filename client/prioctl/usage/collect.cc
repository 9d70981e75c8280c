#include "client/prioctl/usage/collect.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/usage/commands.h"

namespace priorityd::prioctl {
namespace {

constexpr char kProgram[] = "priorityd-collect";

void SetVariable(const char* variable, const std::string& value) {
  if (!value.empty()) setenv(variable, value.c_str(), /*overwrite=*/1);
}

// Replaces this process by the priorityd-collect in PATH, with these words, and with the server,
// the cluster and the token file in its environment. Throws a CLI::ParseError if there is none:
// CallForHelp for --help, which `collect` then answers itself.
void Become(const CommandLine& line, std::vector<std::string> words, CLI::App* collect) {
  const bool is_help = words == std::vector<std::string>{"--help"};
  SetVariable("PRIORITYD_SERVER", line.server);
  SetVariable("PRIORITYD_CLUSTER", line.cluster);
  SetVariable("PRIORITYD_TOKEN_FILE", line.proof.token_file);
  words.insert(words.begin(), kProgram);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(kProgram, arguments.data());
  if (is_help) {
    collect->footer(absl::StrCat("The WORDS are those of ", kProgram, ", which is not in PATH: ",
                                 "docs/collectors.md has how to install it."));
    throw CLI::CallForHelp();
  }
  throw CLI::ValidationError(
      absl::StrCat(kProgram, ": ", std::strerror(errno), ", want it in PATH (docs/collectors.md)"),
      CLI::ExitCodes::ValidationError);
}

void AddCollectOptions(CLI::App* collect, CommandLine& line) {
  collect->set_help_flag();
  auto words = std::make_shared<std::vector<std::string>>();
  collect->add_option("WORDS", *words)->type_name("");
  collect->callback([words, collect, &line] { Become(line, *words, collect); });
}

}  // namespace

const Command kCollectCommand = {
    "collect", "Record what sacct, PBS, HTCondor and others have written down: collect --help",
    AddCollectOptions};

std::vector<std::string> WithCollectorsWordsApart(std::vector<std::string> words) {
  auto word = words.begin();
  // Options of prioctl have a value each.
  while (word != words.end() && absl::StartsWith(*word, "--")) {
    const bool has_value = absl::StrContains(*word, '=');
    if (++word != words.end() && !has_value) ++word;
  }
  if (word != words.end() && *word == "collect") words.insert(word + 1, "--");
  return words;
}

}  // namespace priorityd::prioctl
