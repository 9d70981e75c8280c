#include "client/prioctl/sacctmgr_command_line.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "client/prioctl/options.h"
#include "client/prioctl/sacctmgr/session.h"

namespace priorityd::prioctl {
namespace {

// Whether the option takes the argument after it for its value.
bool TakesNext(const CLI::App& app, const std::string& argument) {
  if (argument.find('=') != std::string::npos) return false;
  const CLI::Option* option = app.get_option_no_throw(argument);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (option == nullptr && sub->get_name() == kSacctmgr)
      option = sub->get_option_no_throw(argument);
  }
  return option != nullptr && option->get_items_expected_min() > 0;
}

}  // namespace

void SetSacctmgr(CLI::App* app, CommandLine& line) {
  app->set_help_flag("-h,--help,--usage", "Print this help message and exit");
  auto options = Adopt<SacctmgrOptions>(app, line);
  app->add_option("COMMAND", options->words,
                  "What to do, see below; none = commands are read line by line")
      ->type_name("");
  app->add_flag("-i,--immediate", options->immediate, "Change without a question");
  app->add_flag_callback(
      "-n,--noheader", [options] { options->header = false; }, "Print no header");
  AddLayout(app, options->layout);
  app->add_flag("-r,--readonly", options->read_only, "Change nothing");
  app->add_flag("-s,--associations", options->associations, "show as with the word withassoc");
  app->add_flag_callback(
      "-o,--oneliner", [] {}, "Taken; every row is one line anyway");
  app->add_flag_callback(
      "-Q,--quiet", [] {}, "Taken; there is no talk to leave out");
  app->add_flag_callback(
      "-v,--verbose", [] {}, "Taken; there is no more to tell");
  app->add_option("-M,--clusters", line.cluster, "The cluster, as --cluster")->type_name("NAME");
  AddJson(app, options->json);
  app->footer("\n" + sacctmgr::HelpText());
}

std::vector<std::string> WithWordsLast(const CLI::App& app, const std::string& tool,
                                       std::vector<std::string> arguments) {
  std::vector<std::string> options, words;
  bool is_sacctmgr = tool == kSacctmgr;
  auto next = arguments.begin();
  for (; next != arguments.end() && *next != "--"; ++next) {
    const bool is_option = next->size() > 1 && absl::StartsWith(*next, "-");
    if (!is_option && !is_sacctmgr) {
      if (*next != kSacctmgr) return arguments;
      is_sacctmgr = true;
      options.push_back(*next);
      continue;
    }
    (is_option ? options : words).push_back(*next);
    if (is_option && TakesNext(app, *next) && next + 1 != arguments.end()) {
      options.push_back(*++next);
    }
  }
  if (next != arguments.end()) ++next;
  words.insert(words.end(), next, arguments.end());
  if (!words.empty()) options.push_back("--");
  options.insert(options.end(), words.begin(), words.end());
  return options;
}

}  // namespace priorityd::prioctl
