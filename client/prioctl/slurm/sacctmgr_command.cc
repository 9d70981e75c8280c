#include "client/prioctl/slurm/sacctmgr_command.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/sacctmgr/session.h"
#include "client/prioctl/sacctmgr/words.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/slurm_table.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "version.h"

namespace priorityd::prioctl {
namespace {

// `prioctl sacctmgr`, by Slurm's options.
struct SacctmgrOptions {
  std::vector<std::string> words;  // The command; empty = read commands line by line.
  bool immediate = false;          // -i
  bool read_only = false;          // -r
  bool associations = false;       // -s
  bool header = true;              // not -n
  SlurmLayout layout = SlurmLayout::kFixedWidth;
  bool json = false;
};

constexpr int kSecondsToDecide = 30;

SlurmField ToSlurm(const sacctmgr::Field& field) {
  return {.name = std::string(field.known->heading), .width = field.width, .left = field.left};
}

std::vector<SlurmCell> ToSlurm(const sacctmgr::Cells& cells) {
  std::vector<SlurmCell> converted;
  for (const sacctmgr::Cell& cell : cells) {
    std::visit([&](const auto& value) { converted.emplace_back(value); }, cell);
  }
  return converted;
}

// The console as sacctmgr's commands see it.
class ConsoleTerminal final : public sacctmgr::Terminal {
 public:
  ConsoleTerminal(const SacctmgrOptions& options, Console& console)
      : options_(options), console_(console) {}

  void Print(const std::string& text) override { console_.out << text; }

  void PrintTable(const std::vector<sacctmgr::Field>& fields,
                  const std::vector<sacctmgr::Cells>& rows) override {
    std::vector<SlurmField> columns;
    for (const sacctmgr::Field& field : fields) columns.push_back(ToSlurm(field));
    SlurmTable table(std::move(columns), options_.layout, false, &console_.out);
    if (options_.header) table.PrintHeader();
    for (const sacctmgr::Cells& cells : rows) table.PrintRow(ToSlurm(cells));
  }

  void PrintJson(const google::protobuf::Message& message) override {
    console_.out << ToJson(message) << '\n';
  }

  void PrintVersion() override { console_.out << "sacctmgr (priorityd) " << kVersion << '\n'; }

  absl::StatusOr<bool> Confirm(const std::string& question) override;

  void SetExitCode(int code) override { console_.exit_code = code; }

 private:
  const SacctmgrOptions& options_;
  Console& console_;
};

// A line within the time to decide; false where none came.
bool ReadAnswer(std::string* line) {
  pollfd input = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (std::cin.rdbuf()->in_avail() <= 0 && poll(&input, 1, kSecondsToDecide * 1000) <= 0)
    return false;
  return static_cast<bool>(std::getline(std::cin, *line));
}

absl::StatusOr<bool> ConsoleTerminal::Confirm(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0) {
    return absl::FailedPreconditionError(
        "cannot ask, since standard input is no terminal; -i changes without a question; "
        "nothing was changed");
  }
  console_.out << question << std::flush;
  std::string line;
  while (ReadAnswer(&line)) {
    const std::string answer = absl::AsciiStrToLower(absl::StripAsciiWhitespace(line));
    if (answer == "y" || answer == "yes") return true;
    if (answer.empty() || answer == "n" || answer == "no") return false;
    console_.out << "Y or N please\n(N/y): " << std::flush;
  }
  console_.out << '\n';
  return false;
}

// The commands at the prompt.
void Converse(const client::PriorityClient& client, const sacctmgr::Settings& settings,
              sacctmgr::Terminal& terminal, Console& console) {
  bool quit = false;
  std::string line;
  while (!quit && (console.out << "sacctmgr: " << std::flush) && std::getline(std::cin, line)) {
    const absl::StatusOr<std::vector<std::string>> words = sacctmgr::SplitLine(line);
    absl::Status done = words.status();
    if (words.ok() && words->empty()) continue;
    if (words.ok()) done = sacctmgr::Execute(*words, client, settings, terminal, &quit);
    if (done.ok()) continue;
    console.out.flush();
    console.err << "sacctmgr: " << client::Describe(done) << '\n';
    console.exit_code = 1;
  }
  if (!quit) console.out << '\n';
}

// Runs one command, or those typed at the prompt. Returns the error of the one; prints those of the
// prompt, and exits with 1 after any of them.
absl::Status Run(const SacctmgrOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const sacctmgr::Settings settings = {
      .immediate = options.immediate,
      .json = options.json,
      .read_only = options.read_only,
      .associations = options.associations,
      .cluster = console.cluster_from_environment ? "" : client.options().cluster};
  ConsoleTerminal terminal(options, console);
  bool quit = false;
  if (!options.words.empty()) {
    return sacctmgr::Execute(options.words, client, settings, terminal, &quit);
  }
  Converse(client, settings, terminal, console);
  return absl::OkStatus();
}

void AddSacctmgrOptions(CLI::App* app, CommandLine& line) {
  app->set_help_flag("-h,--help,--usage", "Print this help message and exit");
  auto options = Adopt<SacctmgrOptions>(app, line, Run);
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
      "-o,--oneliner", [] {}, "Accepted; every row is one line anyway");
  app->add_flag_callback(
      "-Q,--quiet", [] {}, "Accepted; nothing less is printed");
  app->add_flag_callback(
      "-v,--verbose", [] {}, "Accepted; nothing more is printed");
  AddClusters(app, line);
  AddJson(app, options->json);
  app->footer("\n" + sacctmgr::HelpText());
}

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

const Command kSacctmgrCommand = {
    "sacctmgr", "Shows and changes accounts, users, QOS and clusters, as Slurm's sacctmgr does",
    AddSacctmgrOptions};

}  // namespace priorityd::prioctl
