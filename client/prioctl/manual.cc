#include "client/prioctl/manual.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/completion_words.h"

namespace priorityd::prioctl {
namespace {

// A command with the words that lead to it: `prioctl import qos`.
struct Named {
  std::string words;
  const CLI::App* app;
};

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The program, and all commands below it.
std::vector<Named> AllCommands(const CLI::App& app) {
  std::vector<Named> all = {{app.get_name(), &app}};
  for (size_t i = 0; i < all.size(); ++i) {
    const Named parent = all[i];
    for (const CLI::App* sub : SubcommandsOf(*parent.app)) {
      all.push_back({absl::StrCat(parent.words, " ", sub->get_name()), sub});
    }
  }
  return all;
}

// `-u`, `--users`
std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// The possible next words: commands, and the options of this one and of the program.
std::string WordsAfter(const Named& command, const CLI::App& program) {
  std::vector<std::string> words;
  for (const CLI::App* sub : SubcommandsOf(*command.app)) words.push_back(sub->get_name());
  for (const CLI::App* app : {command.app, &program}) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : NamesOf(*option)) words.push_back(name);
    }
    if (app == &program) break;
  }
  return absl::StrJoin(words, " ");
}

// roff takes a backslash, and a dot or an apostrophe at a line's beginning, for its own.
std::string Roff(absl::string_view text) {
  std::string escaped = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  std::string result;
  for (const absl::string_view line : absl::StrSplit(escaped, '\n')) {
    if (!result.empty()) result += "\n.br\n";
    if (!line.empty() && (line.front() == '.' || line.front() == '\'')) result += "\\&";
    absl::StrAppend(&result, line);
  }
  return result;
}

std::string OptionText(const CLI::Option& option) {
  const std::vector<std::string> names = NamesOf(option);
  const std::string name = names.empty() ? option.get_name() : absl::StrJoin(names, ", ");
  const bool takes_value = !names.empty() && option.get_expected_max() > 0;
  const std::string value = takes_value ? absl::StrCat(" ", option.get_type_name()) : "";
  std::string text =
      absl::StrCat(".TP\n.B ", Roff(name), Roff(value), "\n", Roff(option.get_description()), "\n");
  if (!option.get_envname().empty()) {
    absl::StrAppend(&text, "Default: the variable ", Roff(option.get_envname()),
                    " of the environment.\n");
  }
  return text;
}

std::string OptionsText(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    absl::StrAppend(&text, OptionText(*option));
  }
  return text;
}

// `FILE`, `JOBID...`
std::string Arguments(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (!NamesOf(*option).empty()) continue;
    const std::string name = option->get_name();
    absl::StrAppend(&text, " ", option->get_required() ? name : absl::StrCat("[", name, "]"));
  }
  return text;
}

// In single quotes, in which fish knows two escapes.
std::string FishQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}, {"\n", " "}}),
                      "'");
}

// The words of each command without the program: ' import qos'.
std::string FishCommands(const CLI::App& app) {
  std::vector<std::string> commands;
  for (const Named& command : AllCommands(app)) {
    if (command.app == &app) continue;
    commands.push_back(FishQuoted(command.words.substr(app.get_name().size())));
  }
  return absl::StrJoin(commands, " ");
}

// The condition under which words of `command` are offered.
std::string WordsBelow(const Named& command, const CLI::App& app) {
  const std::string name = app.get_name();
  return absl::StrCat("__", name, "_at ", FishQuoted(command.words.substr(name.size())));
}

// Whether `prioctl complete` knows values of it; of a COMMAND and a NAME in some places only.
bool MayBeName(const CLI::Option& option) {
  return KindOfOption(option) || option.get_name() == "COMMAND" || option.get_name() == "NAME";
}

std::string FishOption(const std::string& name, const std::string& words,
                       const CLI::Option& option) {
  std::string line = absl::StrCat("complete -c ", name);
  if (!words.empty()) absl::StrAppend(&line, " -n \"", words, "\"");
  const std::string names = absl::StrCat(" -f -a '(__", name, "_names)'");
  if (NamesOf(option).empty()) return MayBeName(option) ? absl::StrCat(line, names, "\n") : "";
  for (const std::string& letter : option.get_snames()) absl::StrAppend(&line, " -s ", letter);
  for (const std::string& word : option.get_lnames()) absl::StrAppend(&line, " -l ", word);
  if (option.get_expected_max() > 0) absl::StrAppend(&line, " -r");
  if (MayBeName(option)) absl::StrAppend(&line, names);
  return absl::StrCat(line, " -d ", FishQuoted(option.get_description()), "\n");
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  const std::vector<Named> commands = AllCommands(app);
  std::vector<std::string> known = {"''"};  // Of no command; Slurm's tools have none.
  std::string cases;
  for (const Named& command : commands) {
    if (command.app != &app) known.push_back(absl::StrCat("\"", command.words, "\""));
    absl::StrAppend(&cases, "    \"", command.words, "\") words=\"", WordsAfter(command, app),
                    "\" ;;\n");
  }
  const std::string name = app.get_name();
  return absl::StrCat(
      "# bash completion for ", name, ", made by `", name, " completion`.\n_", name,
      "() {\n  local current=${COMP_WORDS[COMP_CWORD]} command=", name,
      " words= i\n  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$command ${COMP_WORDS[i]}\" in\n      ",
      absl::StrJoin(known, "|"),
      ")\n        command=\"$command ${COMP_WORDS[i]}\" ;;\n    esac\n  done\n"
      "  if [[ $current != -* || $current == *=* ]]; then\n    local IFS=$'\\n'\n"
      "    COMPREPLY=($(prioctl complete \"${COMP_WORDS[@]:0:$((COMP_CWORD + 1))}\" 2>/dev/null))\n"
      "    if [[ ${#COMPREPLY[@]} -gt 0 ]]; then\n"
      "      compopt +o filenames 2>/dev/null\n      return 0\n    fi\n    IFS=$' \\t\\n'\n  fi\n"
      "  case \"$command\" in\n",
      cases,
      "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then COMPREPLY=($(compgen -f -- \"$current\")); fi\n}\n"
      "complete -o filenames -F _",
      name, " ", name, "\n");
}

std::string ZshCompletion(const CLI::App& app) {
  const std::string name = app.get_name();
  // zsh calls the file itself for the first word that it completes.
  return absl::StrCat("#compdef ", name, "\nautoload -U +X bashcompinit && bashcompinit\n",
                      BashCompletion(app), "[[ $funcstack[1] != _", name,
                      " ]] || _bash_complete -o filenames -F _", name, "\n");
}

std::string FishCompletion(const CLI::App& app) {
  const std::string name = app.get_name();
  std::string script = absl::StrCat(
      "# fish completion for ", name, ", made by `", name, " completion fish`.\n", "function __",
      name, "_at\n  set -l command\n",
      "  for word in (string match -v -- '-*' (commandline -opc)[2..])\n",
      "    contains -- \"$command $word\" ", FishCommands(app),
      "; and set command \"$command $word\"\n  end\n  test \"$command\" = \"$argv\"\nend\n",
      // fish completes `--users=a` by what follows `=`.
      "function __", name,
      "_names\n  prioctl complete (commandline -opc) (commandline -ct) 2>/dev/null"
      " | string replace -r -- '^--[^=]*=' ''\nend\n");
  for (const Named& command : AllCommands(app)) {
    const std::string words = WordsBelow(command, app);
    for (const CLI::App* sub : SubcommandsOf(*command.app)) {
      absl::StrAppend(&script, "complete -c ", name, " -n \"", words, "\" -f -a ", sub->get_name(),
                      " -d ", FishQuoted(sub->get_description()), "\n");
    }
    for (const CLI::Option* option : command.app->get_options()) {
      absl::StrAppend(&script, FishOption(name, command.app == &app ? "" : words, *option));
    }
  }
  return script;
}

std::string ManPage(const CLI::App& app, const std::string& version) {
  const std::string name = app.get_name();
  std::string page =
      absl::StrCat(".TH ", absl::AsciiStrToUpper(name), " 1 \"\" \"priorityd ", version,
                   "\"\n.SH NAME\n", name, " \\- ", Roff(app.get_description()),
                   "\n.SH SYNOPSIS\n.B ", name, "\n[OPTIONS] COMMAND ...\n.SH COMMANDS\n");
  for (const Named& command : AllCommands(app)) {
    if (command.app == &app || !SubcommandsOf(*command.app).empty()) continue;
    absl::StrAppend(&page, ".SS ", Roff(command.words), Roff(Arguments(*command.app)), "\n",
                    Roff(command.app->get_description()), "\n", OptionsText(*command.app));
  }
  return absl::StrCat(page, ".SH OPTIONS\nThese may stand after every command too.\n",
                      OptionsText(app), ".SH NOTES\n",
                      Roff(absl::StripAsciiWhitespace(app.get_footer())), "\n");
}

void AddManual(CLI::App& app, const std::string& version,
               std::function<std::string(Completion)> of_links) {
  // They end as --version does: a text, and nothing to run.
  CLI::App* completion = app.add_subcommand(
      "completion", "Print completion for a shell: source <(prioctl completion)");
  auto shell = std::make_shared<std::string>("bash");
  auto links = std::make_shared<bool>(false);
  completion->add_flag("--links", *links, "Also of squeue, sprio and the other links to prioctl");
  completion->add_option("SHELL", *shell, "bash (default), zsh or fish")
      ->check(CLI::Validator(
          [](std::string& text) {
            const bool known = text == "bash" || text == "zsh" || text == "fish";
            return known ? "" : absl::StrCat("got \"", text, "\", want bash, zsh or fish");
          },
          ""));
  completion->callback([&app, shell, links, of_links = std::move(of_links)] {
    const Completion of = *shell == "fish"  ? FishCompletion
                          : *shell == "zsh" ? ZshCompletion
                                            : BashCompletion;
    throw CLI::CallForVersion(absl::StrCat(of(app), *links ? of_links(of) : ""), 0);
  });
  app.add_subcommand("man", "Print the man page: prioctl man | man -l -")
      ->callback([&app, version] { throw CLI::CallForVersion(ManPage(app, version), 0); });
}

}  // namespace priorityd::prioctl
