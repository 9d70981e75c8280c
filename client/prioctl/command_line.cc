#include "client/prioctl/command_line.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/wrapped_help.h"
#include "client/prioctl/commands.h"
#include "client/prioctl/completion_values.h"
#include "client/prioctl/completion_words.h"
#include "client/prioctl/did_you_mean.h"
#include "client/prioctl/global_options.h"
#include "client/prioctl/manual.h"
#include "client/prioctl/slurm/sacctmgr_command.h"
#include "client/prioctl/usage/collect.h"
#include "version.h"

namespace priorityd::prioctl {
namespace {

constexpr int kWrongCommandLine = 2;

constexpr char kAboutPrioctl[] =
    "Ranks the queue of a cluster by Slurm's multifactor priority, and explains the order.";

constexpr char kFooter[] =
    "\nTIME is RFC 3339 (2026-11-20T13:07:11Z), or of your time zone as Slurm's tools take it:\n"
    "2026-11-20, 2026-11-20T14:07, 11/20/26, 14:07, now-1hour, yesterday, teatime ...\n"
    "Exit status: 0 done; 1 the service, a file or a usage record was refused, one line on\n"
    "standard error has the reason; 2 the command line is wrong; 3 by status: action is needed.";

void SetTool(CLI::App& app, CommandLine& line);

// The output of `completion` for each of Slurm's tools.
std::string OfEachTool(Completion completion) {
  std::string text;
  for (const Command* tool : Tools()) {
    CommandLine line{.tool = tool->name};
    CLI::App app;
    SetTool(app, line);
    absl::StrAppend(&text, completion(app));
  }
  return text;
}

void SetTool(CLI::App& app, CommandLine& line) {
  const auto tools = Tools();
  const auto tool = std::find_if(tools.begin(), tools.end(),
                                 [&](const Command* known) { return line.tool == known->name; });
  if (tool != tools.end()) {
    app.description((*tool)->about);
    (*tool)->add_options(&app, line);
  } else {
    line.tool = "prioctl";
    app.description(kAboutPrioctl);
    for (const Command* command : Commands()) AddCommand(*command, &app, line);
    AddManual(app, kVersion, OfEachTool);
  }
  AddGlobalOptions(app, line);
  AddSecurityOptions(app, line);
  app.set_version_flag(line.tool == "prioctl" ? "--version" : "-V,--version",
                       absl::StrCat(line.tool, " (priorityd) ", kVersion));
  app.name(line.tool);
  app.footer(absl::StrCat(app.get_footer(), kFooter));
}

// The command as far as it was understood: `prioctl import qos`.
std::string CommandName(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* sub : app.get_subcommands()) {
    absl::StrAppend(&name, " ", CommandName(*sub));
  }
  return name;
}

Exit WrongCommandLine(const CLI::App& app, const CLI::ParseError& error) {
  const std::string what = WithoutCli11sWords(absl::StrReplaceAll(error.what(), {{"\n", " "}}));
  return {kWrongCommandLine, absl::StrCat(app.get_name(), ": ", what, DidYouMean(app), " (see ",
                                          CommandName(app), " --help)\n")};
}

const CLI::App* FindCommand(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// `help import qos` is `import qos --help`; CLI11 wants the words in reverse.
std::vector<std::string> WordsInReverse(const CLI::App& app, const std::string& tool, int argc,
                                        const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (app.get_name() == "prioctl" && !words.empty() && words.front() == "help") {
    const CLI::App* command = &app;
    for (size_t i = 1; i < words.size() && command != nullptr; ++i) {
      command = FindCommand(*command, words[i]);
    }
    words.erase(words.begin());
    // A command that is none is to be called that.
    if (command != nullptr) words.push_back("--help");
  }
  if (app.get_name() == "prioctl") words = WithCollectorsWordsApart(std::move(words));
  words = WithWordsLast(app, tool, std::move(words));
  std::reverse(words.begin(), words.end());
  return words;
}

std::string ToolOf(const char* path) { return std::filesystem::path(path).filename().string(); }

// `prioctl complete TOOL WORDS...`, for shells: what the last word of that line may be.
std::variant<CommandLine, Exit> Complete(int argc, const char* const* argv) {
  CommandLine typed{.tool = ToolOf(argv[2])};
  CLI::App app;
  SetTool(app, typed);
  const auto missing = FindMissingName(app, std::vector<std::string>(argv + 3, argv + argc));
  if (!missing.has_value()) return Exit{0, ""};
  CommandLine line;
  try {
    CompleteName(*missing, line);
  } catch (const CLI::ParseError&) {
    return Exit{0, ""};
  }
  return line;
}

}  // namespace

std::variant<CommandLine, Exit> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  line.timeout = absl::Minutes(5);
  if (argc > 0) line.tool = ToolOf(argv[0]);
  if (argc > 2 && line.tool == "prioctl" && argv[1] == absl::string_view("complete")) {
    return Complete(argc, argv);
  }
  CLI::App app;
  app.formatter(WrappedHelp());
  app.fallthrough();  // Every command inherits it: the global options may stand after it.
  try {
    SetTool(app, line);
    app.parse(WordsInReverse(app, line.tool, argc, argv));
    SettleCluster(line);
    // Last, so that a word that is no command is called that.
    if (!line.run) throw CLI::RequiredError("a command");
  } catch (const CLI::CallForHelp&) {
    return Exit{0, app.help()};
  } catch (const CLI::CallForVersion& version) {
    return Exit{0, absl::StrCat(version.what(), "\n")};
  } catch (const CLI::ParseError& error) {
    return WrongCommandLine(app, error);
  }
  return line;
}

}  // namespace priorityd::prioctl
