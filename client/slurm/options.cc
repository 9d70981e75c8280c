#include "client/slurm/options.h"

#include <map>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/priority_client.h"
#include "version.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr char kAbout[] =
    "priorityd beside a running Slurm. `observe` mirrors a cluster into priorityd and compares the "
    "priorities with sprio's; Slurm is only read. `drive` also sets jobs by scontrol so that "
    "slurmctld starts them in priorityd's order; `release` gives the order back. Exit status of "
    "observe --once: 0 if all agree, 1 if some differ; of all commands: 3 if the command failed.";

void AddSeconds(CLI::App* app, const std::string& name, absl::Duration& duration,
                const std::string& what) {
  app->add_option_function<double>(
         name, [&duration](double seconds) { duration = absl::Seconds(seconds); },
         absl::StrCat(what, "; default ", absl::ToInt64Seconds(duration)))
      ->check(CLI::Range(0.01, 1e9).description(""))
      ->type_name("SECONDS");
}

void AddService(CLI::App* app, Options& options) {
  static const std::map<std::string, client::Proof> kProofs = {{"auto", client::Proof::kAutomatic},
                                                               {"token", client::Proof::kToken},
                                                               {"munge", client::Proof::kMunge},
                                                               {"none", client::Proof::kNone}};
  app->add_option("--server", options.server,
                  "Address of priorityd; of several the first that answers")
      ->envname("PRIORITYD_SERVER")
      ->type_name("ADDRESS[,ADDRESS...]")
      ->capture_default_str();
  app->add_option("--cluster", options.observer.mirror.cluster,
                  "The cluster of priorityd; default the name of slurmctld's")
      ->envname("PRIORITYD_CLUSTER")
      ->type_name("NAME");
  AddSeconds(app, "--timeout", options.timeout, "Time limit of a call to priorityd");
  app->add_option_function<std::string>(
         "--auth", [&options](const std::string& word) { options.proof.proof = kProofs.at(word); },
         "Proof of the caller's identity: auto (a token if there is one, otherwise MUNGE), token, "
         "munge or none")
      ->check(CLI::IsMember({"auto", "token", "munge", "none"}).description(""))
      ->envname("PRIORITYD_AUTH")
      ->type_name("PROOF");
  app->add_option("--token-file", options.proof.token_file, "A JSON web token")
      ->envname("PRIORITYD_TOKEN_FILE")
      ->type_name("FILE");
  app->add_option("--munge-socket", options.proof.munge_socket,
                  "Socket of munged, if not the default")
      ->envname("PRIORITYD_MUNGE_SOCKET")
      ->type_name("FILE");
  app->add_option("--tls-ca", options.tls.ca, "Use TLS, and trust servers signed by one of these")
      ->envname("PRIORITYD_TLS_CA")
      ->type_name("FILE");
  app->add_option("--tls-cert", options.tls.certificate, "The client's certificate")
      ->type_name("FILE");
  app->add_option("--tls-key", options.tls.key, "Its private key")->type_name("FILE");
}

void AddCommands(CLI::App* app, Options& options) {
  app->add_option_function<std::string>(
         "--through",
         [&options](const std::string& words) {
           options.commands.through = absl::StrSplit(words, ' ', absl::SkipEmpty());
         },
         "Words before each of Slurm's commands, such as \"ssh login1\"")
      ->type_name("WORDS");
  AddSeconds(app, "--command-timeout", options.commands.timeout,
             "Kill a command of Slurm after this time");
  app->add_option(
         "--max-output-mb",
         [&options](const std::vector<std::string>& words) {
           options.commands.max_output_bytes = std::stoul(words[0]) << 20;
           return true;
         },
         "Kill a command that prints more; default 256")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("MB");
}

void AddMirror(CLI::App* app, Options& options) {
  static const std::map<std::string, UsageFrom> kUsage = {
      {"sshare", UsageFrom::kSshare}, {"sacct", UsageFrom::kSacct}, {"none", UsageFrom::kNone}};
  app->add_option_function<std::string>(
         "--usage",
         [&options](const std::string& word) { options.observer.usage = kUsage.at(word); },
         "Source of usage: sshare (default; slurmctld's own sums at each pass), sacct (usage of "
         "ended jobs, each once), none")
      ->check(CLI::IsMember({"sshare", "sacct", "none"}).description(""))
      ->type_name("WORD");
  app->add_option("--usage-clusters", options.observer.usage_clusters,
                  "Other clusters of the same slurmdbd whose usage is added: one account tree "
                  "over several clusters")
      ->delimiter(',')
      ->type_name("CLUSTER[,CLUSTER...]");
  AddSeconds(app, "--sacct-since", options.observer.sacct_since,
             "Records of sacct to look back for at the start");
  app->add_flag_callback(
      "--keep-ages", [&options] { options.observer.ages_of_slurm = false; },
      "Keep a job's age over a hold, which is priorityd's rule; default: count as slurmctld does");
  app->add_option("--source", options.observer.mirror.source, "Source of these jobs in priorityd")
      ->type_name("NAME")
      ->capture_default_str();
  options.observer.mirror.policy_lines = {"FairTreeTies=slurm"};
  app->add_option(
         "--policy", options.observer.mirror.policy_lines,
         "Lines of policy that override the site's, each NAME=VALUE; default FairTreeTies=slurm")
      ->type_name("LINE");
}

void AddObserve(CLI::App* app, Options& options) {
  AddService(app, options);
  AddCommands(app, options);
  AddMirror(app, options);
  app->add_flag("--once", options.once, "One pass, then exit");
  AddSeconds(app, "--interval", options.interval, "Time between two passes");
  app->add_option("--tolerance", options.observer.tolerance,
                  "Largest difference of two priorities that agree; default 0")
      ->check(CLI::Range(0, 1'000'000'000).description(""))
      ->type_name("POINTS");
  app->add_option("--rows", options.most_rows, "Most differing jobs to show; default 40")
      ->type_name("COUNT");
  app->add_flag("--json", options.json, "A line of JSON for each pass");
}

void AddSetting(CLI::App* app, Options& options) {
  static const std::map<std::string, bool> kMeans = {{"priority", false}, {"nice", true}};
  app->add_option_function<std::string>(
         "--by", [&options](const std::string& word) { options.drive.by_nice = kMeans.at(word); },
         "What to set: priority (default) or nice")
      ->check(CLI::IsMember({"priority", "nice"}).description(""))
      ->type_name("WORD");
  app->add_option("--state", options.drive.state_file,
                  "File of the jobs that were set; one for each slurmctld")
      ->required()
      ->type_name("FILE");
  app->add_option("--batch", options.drive.batch, "Jobs in one call of scontrol; default 100")
      ->check(CLI::Range(1, 10'000).description(""))
      ->type_name("COUNT");
  app->add_option("--per-second", options.drive.per_second, "Jobs to set a second; default 100")
      ->check(CLI::Range(0.1, 1e6).description(""))
      ->type_name("COUNT");
  app->add_option("--most", options.drive.most, "Most jobs to set in a pass; default 1000")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("COUNT");
  app->add_flag("--dry-run", options.drive.dry_run, "Print what would be set; set nothing");
}

void AddDrive(CLI::App* app, Options& options) {
  AddService(app, options);
  AddCommands(app, options);
  AddMirror(app, options);
  AddSetting(app, options);
  app->add_flag("--once", options.once, "One pass, then exit");
  AddSeconds(app, "--interval", options.interval, "Time between two passes");
}

void AddRelease(CLI::App* app, Options& options) {
  AddCommands(app, options);
  AddSetting(app, options);
}

}  // namespace

std::variant<Options, Exit> ParseOptions(int argc, const char* const* argv) {
  Options options;
  CLI::App app(kAbout, "priorityd-slurm");
  app.require_subcommand(1);
  app.set_version_flag("--version,-V", absl::StrCat("priorityd-slurm ", kVersion));
  CLI::App* observe = app.add_subcommand("observe", "Mirror and compare; Slurm is only read");
  AddObserve(observe, options);
  observe->callback([&options] { options.verb = Verb::kObserve; });
  CLI::App* drive =
      app.add_subcommand("drive", "Mirror, and set jobs so that they start in priorityd's order");
  AddDrive(drive, options);
  drive->callback([&options] { options.verb = Verb::kDrive; });
  CLI::App* release = app.add_subcommand("release", "Return the order to slurmctld");
  AddRelease(release, options);
  release->callback([&options] { options.verb = Verb::kRelease; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    std::ostringstream out;
    app.exit(asked, out, out);
    return Exit{0, out.str()};
  } catch (const CLI::ParseError& error) {
    return Exit{2, absl::StrCat("priorityd-slurm: ", error.what(), "\n")};
  }
  if (options.observer.usage == UsageFrom::kNone && !options.observer.usage_clusters.empty()) {
    return Exit{2,
                "priorityd-slurm: --usage-clusters: got it with --usage none, want sshare or "
                "sacct\n"};
  }
  return options;
}

}  // namespace priorityd::slurm_frontend
