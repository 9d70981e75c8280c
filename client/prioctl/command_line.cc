#include "client/prioctl/command_line.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/administration_command_line.h"
#include "client/prioctl/budget_command_line.h"
#include "client/prioctl/collect.h"
#include "client/prioctl/did_you_mean.h"
#include "client/prioctl/global_command_line.h"
#include "client/prioctl/import_command_line.h"
#include "client/prioctl/manual.h"
#include "client/prioctl/options.h"
#include "client/prioctl/plan_command_line.h"
#include "client/prioctl/queue_command_line.h"
#include "client/prioctl/replay_command_line.h"
#include "client/prioctl/sacctmgr_command_line.h"
#include "client/prioctl/slurm_command_line.h"
#include "client/prioctl/watch_command_line.h"
#include "client/prioctl/what_if_command_line.h"
#include "version.h"

namespace priorityd::prioctl {
namespace {

constexpr int kWrongCommandLine = 2;

constexpr char kAboutPrioctl[] =
    "Ranks the queue of a cluster by Slurm's multifactor priority, and says why.";

constexpr char kFooter[] =
    "\nTIME is RFC 3339 (2026-11-20T13:07:11Z), or of your time zone as Slurm's tools take it:\n"
    "2026-11-20, 2026-11-20T14:07, 11/20/26, 14:07, now-1hour, yesterday, teatime ...\n"
    "Exit status: 0 done; 1 the service, a file or a usage record was refused, one line on\n"
    "standard error says why; 2 the command line is wrong; 3 by status: something has to be done.";

void AddImport(CLI::App& parent, CommandLine& line) {
  struct Kind {
    const char* name;
    ::priority::v1::FileKind kind;
    const char* what;
  };
  static constexpr Kind kKinds[] = {
      {"slurm-conf", ::priority::v1::FILE_KIND_SLURM_CONF,
       "slurm.conf: the policy, nodes and partitions; the files it Includes are read beside it"},
      {"sacctmgr", ::priority::v1::FILE_KIND_SACCTMGR_DUMP,
       "What `sacctmgr dump` wrote: accounts, users, shares, limits"},
      {"qos", ::priority::v1::FILE_KIND_QOS,
       "What `sacctmgr -P show qos format=Name,Priority,UsageFactor,...` printed"},
      {"sshare", ::priority::v1::FILE_KIND_SSHARE,
       "What `sshare -a -l -P`, or --json, printed: the decayed usage to start from"},
      {"usage", ::priority::v1::FILE_KIND_USAGE,
       "Lines of account|user|partition|usage: the decayed usage to start from, exact"},
  };
  CLI::App* import = parent.add_subcommand("import", "Take in a Slurm site's own files");
  for (const Kind& kind : kKinds) {
    CLI::App* app = import->add_subcommand(kind.name, kind.what);
    auto options = Adopt<ImportOptions>(app, line);
    options->kind = kind.kind;
    app->add_option("FILE", options->file, "The file")->required()->type_name("");
    app->add_flag("--clean", options->clean, "Delete what the file does not name");
    if (kind.kind == ::priority::v1::FILE_KIND_SLURM_CONF) {
      AddIncludeFrom(app, options->include_from);
    }
    AddYes(app, options->yes);
    AddValidateOnly(app, options->validate_only);
    AddStrict(app, options->strict);
    AddJson(app, options->json);
  }
  AddImportSqueue(import, line);
  AddImportSacct(import, line);
}

void AddRank(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand("rank", "Order a queue: which job should start first");
  auto options = Adopt<RankOptions>(app, line);
  AddQueueFile(app, options->file);
  AddAsOf(app, options->as_of, "Rank for this time, not for now");
  app->add_option("--limit", options->limit, "Only so many ranked rows, and as many not eligible")
      ->type_name("N");
  app->add_flag("--best-only", options->best_only, "Only the first row of each job");
  app->add_flag("--explain", options->explain, "Add what each factor contributes");
  AddJson(app, options->json);
}

void AddExplain(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand("explain", "Tell why a job has its priority");
  auto options = Adopt<ExplainOptions>(app, line);
  AddQueueFile(app, options->file);
  app->add_option("--job", options->job_id, "Which of the jobs; not needed if there is one")
      ->type_name("JOBID");
  app->add_option("--partition", options->partition, "Which of its partitions; default the best")
      ->type_name("NAME");
  app->add_option("--qos", options->qos, "Which of its QOS; default the best")->type_name("NAME");
  CLI::Option* compare_to = app->add_option("--compare-to", options->compare_to,
                                            "Also why it starts before or after this other job");
  compare_to->type_name("JOBID");
  app->add_option("--compare-to-partition", options->compare_to_partition,
                  "Which of the other's partitions; default the best")
      ->needs(compare_to)
      ->type_name("NAME");
  app->add_option("--compare-to-qos", options->compare_to_qos,
                  "Which of the other's QOS; default the best")
      ->needs(compare_to)
      ->type_name("NAME");
  AddNodes(app, options->nodes);
  AddAsOf(app, options->as_of, "Explain for this time, not for now");
  AddJson(app, options->json);
}

void AddRecord(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "record", "Record usage; a record sent twice counts once, so run it again after a failure");
  auto options = Adopt<RecordOptions>(app, line);
  app->add_option("FILE", options->file, "Usage records as JSON Lines; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--batch-size", options->batch_size, "Records per call")
      ->check(WholeNumber(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  AddJson(app, options->json);
}

void AddShares(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "shares", "What each account and user is due, beside what it used; as a picture too");
  auto options = Adopt<SharesOptions>(app, line);
  app->add_flag("--accounts-only", options->accounts_only, "Without the users");
  AddPicture(app, options->picture);
  AddJson(app, options->json);
}

void AddShareHistory(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand("share-history", "Fair-share and usage over time");
  auto options = Adopt<ShareHistoryOptions>(app, line);
  AddList(app, "-A,--accounts", options->accounts, "Only these accounts");
  AddList(app, "-u,--users", options->users, "Only these users, and the accounts above them");
  app->add_flag("--subtree", options->subtree, "With the accounts all below them");
  AddTime(app, "--start", options->start, "From this time on; default the oldest kept");
  AddTime(app, "--end", options->end, "Before this time; default up to the newest");
  AddJson(app, options->json);
}

void AddRecalculate(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand("recalculate", "Recalculate fair-share now");
  auto options = Adopt<RecalculateOptions>(app, line);
  AddAsOf(app, options->as_of, "The time to recalculate for; on a manual clock only");
  app->add_flag("--forget-future", options->forget_future,
                "Back to the present time, after the database's clock was ahead for a while");
  AddJson(app, options->json);
}

void AddStatus(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand("status", "How the service is, and what is wrong");
  auto options = Adopt<StatusOptions>(app, line);
  AddJson(app, options->json);
}

void AddMe(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "me", "All of one user: accounts, shares, limits, QOS, partitions, jobs with their places");
  auto options = Adopt<MeOptions>(app, line);
  app->add_option("USER", options->user, "Who; default as whom the service knows the caller")
      ->type_name("");
  AddJson(app, options->json);
}

void AddResetUsage(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "reset-usage",
      "What an account and all below it, or a user of it, used so far counts no more");
  auto options = Adopt<ResetUsageOptions>(app, line);
  app->add_option("ACCOUNT", options->account, "The account")->required()->type_name("");
  app->add_option("--user", options->user, "Only this user of the account")->type_name("NAME");
  app->add_option("--partition", options->partition, "The user's association with this partition")
      ->type_name("NAME");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddYes(app, options->yes);
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

void AddRebuildUsage(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "rebuild-usage", "Sum up all usage again from the ledger, and correct what differs");
  auto options = Adopt<RebuildUsageOptions>(app, line);
  app->add_flag("--validate-only", options->validate_only,
                "Only compare; exit status 1 if anything differs");
  AddJson(app, options->json);
}

void AddPolicyApply(CLI::App& policy, CommandLine& line) {
  CLI::App* app = policy.add_subcommand(
      "apply", "Apply the parameters in a file, in force from the next recalculation");
  auto options = Adopt<PolicyApplyOptions>(app, line);
  AddPolicyFile(app, options->file);
  AddIncludeFrom(app, options->include_from);
  app->add_flag("--retroactive", options->retroactive,
                "The half-life holds for all the past too: sum up usage again from the ledger");
  AddExpectedVersion(app, options->expected_version);
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

void AddPolicyLint(CLI::App& policy, CommandLine& line) {
  CLI::App* app = policy.add_subcommand(
      "lint", "How far each factor goes on a queue, and what in the policy is hardly meant so");
  auto options = Adopt<PolicyLintOptions>(app, line);
  app->add_option("FILE", options->file,
                  "Jobs as JSON Lines, or a slurm.conf; - is standard input; default the policy "
                  "in force alone")
      ->type_name("");
  app->add_option("--policy", options->policy, "As if the parameters in this slurm.conf held")
      ->type_name("FILE");
  AddAsOf(app, options->as_of, "Look at the queue at this time, not now");
  AddJson(app, options->json);
}

void AddPolicy(CLI::App& parent, CommandLine& line) {
  CLI::App* policy = parent.add_subcommand("policy", "The parameters of slurm.conf in force");
  CLI::App* app = policy->add_subcommand("show", "Show the policy");
  auto options = Adopt<PolicyShowOptions>(app, line);
  app->add_option("VERSION,--version", options->version, "Which version; default the newest")
      ->check(NotNegative())
      ->type_name("N");
  AddJson(app, options->json);
  AddPolicyVersions(*policy, line);
  AddPolicyApply(*policy, line);
  AddPolicyDiff(*policy, line);
  AddPolicyLint(*policy, line);
  AddPolicyReplay(*policy, line);
}

std::map<std::string, double> ParseTres(const std::string& text) {
  std::map<std::string, double> tres;
  for (const absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    double count = 0;
    if (parts.size() != 2 || parts[0].empty() || !absl::SimpleAtod(parts[1], &count) ||
        !std::isfinite(count) || count < 0) {
      throw CLI::ValidationError(
          "--tres", absl::StrCat("got \"", item, "\", want name=count, such as gres/gpu=16"));
    }
    tres[std::string(parts[0])] = count;
  }
  return tres;
}

void AddCluster(CLI::App& parent, CommandLine& line) {
  CLI::App* cluster = parent.add_subcommand(
      "cluster", "Clusters, and what they have where slurm.conf has no NodeName lines");
  AddClusterList(*cluster, line);
  for (const bool add : {true, false}) {
    CLI::App* app = cluster->add_subcommand(
        add ? "add" : "modify", add ? "Create a cluster, or set what it has" : "Set what it has");
    auto options = Adopt<ClusterOptions>(app, line);
    options->add = add;
    app->add_option("NAME", options->name, "The cluster")->required()->type_name("");
    app->add_option("--nodes", options->nodes, "Nodes, those that are down included")
        ->type_name("N");
    app->add_option("--cpus", options->cpus, "CPUs of all nodes")
        ->check(NotNegative())
        ->type_name("N");
    app->add_option_function<std::string>(
           "--tres", [options](const std::string& text) { options->tres = ParseTres(text); },
           "Totals, for example mem=768000,gres/gpu=16 (mem in MB)")
        ->type_name("NAME=COUNT,...");
    AddValidateOnly(app, options->validate_only);
    AddJson(app, options->json);
  }
}

void SetPrioctl(CLI::App& app, CommandLine& line) {
  AddMe(app, line);
  AddImport(app, line);
  AddRank(app, line);
  AddExplain(app, line);
  AddWhatIf(app, line);
  AddPlan(app, line);
  AddPreempt(app, line);
  AddCost(app, line);
  AddBudget(app, line);
  AddQosUsage(app, line);
  AddQueue(app, line);
  AddWatch(app, line);
  AddRecord(app, line);
  AddCollect(app, line);
  for (const SlurmTool& tool : SlurmTools()) {
    tool.set_options(app.add_subcommand(tool.name, tool.about), line);
  }
  AddShares(app, line);
  AddShareHistory(app, line);
  AddRecalculate(app, line);
  AddResetUsage(app, line);
  AddRebuildUsage(app, line);
  AddUsage(app, line);
  AddPolicy(app, line);
  AddCluster(app, line);
  AddAudit(app, line);
  AddStatus(app, line);
  AddManual(app, kVersion);
}

void SetTool(CLI::App& app, CommandLine& line) {
  const absl::Span<const SlurmTool> tools = SlurmTools();
  const auto* tool = std::find_if(tools.begin(), tools.end(),
                                  [&](const SlurmTool& known) { return line.tool == known.name; });
  if (tool != tools.end()) {
    app.description(tool->about);
    tool->set_options(&app, line);
  } else {
    line.tool = "prioctl";
    app.description(kAboutPrioctl);
    SetPrioctl(app, line);
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

}  // namespace

std::variant<CommandLine, Exit> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  line.timeout = absl::Minutes(5);
  if (argc > 0) line.tool = std::filesystem::path(argv[0]).filename().string();
  CLI::App app;
  app.fallthrough();  // Every command inherits it: the global options may stand after it.
  try {
    SetTool(app, line);
    app.parse(WordsInReverse(app, line.tool, argc, argv));
    ReadEnvironment(line);
    // Last, so that a word that is no command is called that.
    if (line.command.index() == 0) throw CLI::RequiredError("a command");
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
