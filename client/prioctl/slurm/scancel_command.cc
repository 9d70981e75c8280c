#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/environment.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/jobs/scancel.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

constexpr char kScancelVariables[] =
    "\nDefaults of options in the environment: SCANCEL_ACCOUNT, SCANCEL_INTERACTIVE, "
    "SCANCEL_NAME,\n"
    "SCANCEL_PARTITION, SCANCEL_QOS, SCANCEL_STATE, SCANCEL_USER, SCANCEL_VERBOSE.\n";

struct TypedScancel {
  jobs::ScancelOptions options;
  bool me = false;
};

// `true` or `t`, as scancel takes it.
absl::Status SetFlagFromEnvironment(const char* variable, bool* flag) {
  std::string word;
  SetFromEnvironment(variable, &word);
  const bool yes = absl::EqualsIgnoreCase(word, "true") || absl::EqualsIgnoreCase(word, "t");
  const bool no = absl::EqualsIgnoreCase(word, "false") || absl::EqualsIgnoreCase(word, "f");
  *flag = *flag || yes;
  if (word.empty() || yes || no) return absl::OkStatus();
  return OptionError(absl::StrCat(variable, ": got \"", word, "\", want true or false"));
}

absl::Status ReadEnvironment(jobs::ScancelOptions* options) {
  SetFromEnvironment("SCANCEL_ACCOUNT", &options->accounts);
  SetFromEnvironment("SCANCEL_NAME", &options->names);
  SetFromEnvironment("SCANCEL_PARTITION", &options->partitions);
  SetFromEnvironment("SCANCEL_QOS", &options->qos);
  SetFromEnvironment("SCANCEL_STATE", &options->states);
  SetFromEnvironment("SCANCEL_USER", &options->users);
  absl::Status read = SetFlagFromEnvironment("SCANCEL_INTERACTIVE", &options->interactive);
  read.Update(SetFlagFromEnvironment("SCANCEL_VERBOSE", &options->verbose));
  return read;
}

absl::Status Run(const TypedScancel& typed, const client::PriorityClient& client,
                 Console& console) {
  jobs::ScancelOptions options = typed.options;
  if (typed.me) options.users.push_back(CallingUser());
  if (absl::Status s = ReadEnvironment(&options); !s.ok()) return s;
  return jobs::Scancel(options, client, std::cin, console.out, console.err, &console.exit_code);
}

void AddScancelOptions(CLI::App* app, CommandLine& line) {
  app->set_help_flag("--help,--usage", "Print this help message and exit");
  app->footer(kScancelVariables);
  auto typed = Adopt<TypedScancel>(app, line, Run);
  jobs::ScancelOptions& options = typed->options;
  app->add_option("JOBS", options.jobs, "Jobs and tasks of arrays: 7, 12_4, 12_[1-3]")
      ->type_name("");
  AddList(app, "-u,--user", options.users, "Only jobs of these users");
  app->add_flag("--me", typed->me, "Only your own jobs");
  AddList(app, "-A,--account", options.accounts, "Only jobs of these accounts");
  AddList(app, "-p,--partition", options.partitions, "Only jobs of these partitions");
  AddList(app, "-q,--qos", options.qos, "Only jobs of these QOS");
  AddList(app, "-t,--state", options.states, "Only jobs in these states: PENDING, RUNNING, ...");
  AddList(app, "-n,--name,--jobname", options.names, "Only jobs with these names");
  app->add_option("-R,--reservation", options.reservation, "Only jobs of this reservation")
      ->type_name("NAME");
  app->add_option("-s,--signal", options.signal, "Refused: priorityd runs no programs")
      ->type_name("SIGNAL");
  app->add_flag("-i,--interactive", options.interactive, "Ask before each job");
  app->add_flag("-v,--verbose", options.verbose, "Print the jobs that are cancelled");
  app->add_flag("-Q,--quiet", options.quiet, "A job that does not exist is no error");
  app->add_option("--on-behalf-of", options.on_behalf_of,
                  "With the rights of this user, and no others")
      ->type_name("USER");
  AddIgnored(app, "-H,--hurry", "Accepted; priorityd stages no files");
  AddIgnored(app, "--ctld", "Accepted; the service is always asked");
  AddClusters(app, line);
}

}  // namespace

const Command kScancelCommand = {
    "scancel", "Cancel pending jobs of the tracked queue, as Slurm's scancel does",
    AddScancelOptions};

}  // namespace priorityd::prioctl
