#include "client/prioctl/did_you_mean.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/words/closest_word.h"

namespace priorityd::prioctl {
namespace {

// The commands that were understood, the program first.
std::vector<const CLI::App*> Chain(const CLI::App& app) {
  std::vector<const CLI::App*> chain = {&app};
  while (!chain.back()->get_subcommands().empty()) {
    chain.push_back(chain.back()->get_subcommands().front());
  }
  return chain;
}

std::vector<std::string> OptionsOf(const std::vector<const CLI::App*>& chain) {
  std::vector<std::string> names;
  for (const CLI::App* app : chain) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

}  // namespace

std::string DidYouMean(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return "";
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  const std::vector<const CLI::App*> chain = Chain(app);
  const std::string meant = slurm::ClosestWord(
      word, absl::StartsWith(word, "-") ? OptionsOf(chain) : CommandsOf(*chain.back()));
  if (meant == word) return absl::StrCat("; want ", word, " after its command");
  return meant.empty() ? "" : absl::StrCat("; did you mean ", meant, "?");
}

}  // namespace priorityd::prioctl
