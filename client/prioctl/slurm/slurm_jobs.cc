#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/environment.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/nodes_file.h"
#include "client/prioctl/jobs/scontrol.h"
#include "client/prioctl/jobs/squeue.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/slurm/show_nodes.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

constexpr char kWords[] =
    "hold | uhold | release | top JOBS; update JobId=JOBS WORD=VALUE ... of Account, "
    "ArrayTaskThrottle, Dependency, JobName, Nice, NumCPUs, NumNodes, Partition, Priority, QOS, "
    "Requeue, ReservationName, SiteFactor, StartTime (EligibleTime), TimeLimit; update | create "
    "PartitionName=NAME WORD=VALUE ... with slurm.conf's words; update | create "
    "ReservationName=NAME WORD=VALUE ... of StartTime, Duration, EndTime, Nodes, PartitionName, "
    "Users, Accounts, Flags; delete PartitionName=NAME | ReservationName=NAME; "
    "show job [JOBS] | partition [NAME] | reservation [NAME] | node [NAMES] | config; show "
    "hostnames [LIST] | hostlist "
    "NAMES | hostlistsorted NAMES. "
    "JOBS: 1,2,5_[1-3] or jobname=NAME";

constexpr char kSqueueVariables[] =
    "\nDefaults of options in the environment: SQUEUE_ACCOUNT, SQUEUE_ARRAY, SQUEUE_FORMAT (-o),\n"
    "SQUEUE_FORMAT2 (-O), SQUEUE_NAMES, SQUEUE_PARTITION, SQUEUE_PRIORITY, SQUEUE_QOS, "
    "SQUEUE_SORT,\n"
    "SQUEUE_STATES, SQUEUE_USERS.\n";

// As squeue reads it: -l and --start have tables of their own, SQUEUE_FORMAT precedes
// SQUEUE_FORMAT2.
void ReadEnvironment(jobs::SqueueOptions* options) {
  const bool has_table = !options->format.empty() || !options->long_format.empty() ||
                         options->long_listing || options->start || options->forecast;
  if (!has_table) SetFromEnvironment("SQUEUE_FORMAT", &options->format);
  if (!has_table && options->format.empty()) {
    SetFromEnvironment("SQUEUE_FORMAT2", &options->long_format);
  }
  SetFromEnvironment("SQUEUE_SORT", &options->sort);
  SetFromEnvironment("SQUEUE_ACCOUNT", &options->accounts);
  SetFromEnvironment("SQUEUE_NAMES", &options->names);
  SetFromEnvironment("SQUEUE_PARTITION", &options->partitions);
  SetFromEnvironment("SQUEUE_QOS", &options->qos);
  SetFromEnvironment("SQUEUE_STATES", &options->states);
  if (!options->me) SetFromEnvironment("SQUEUE_USERS", &options->users);
  options->by_task = options->by_task || IsSet("SQUEUE_ARRAY");
  options->by_partition = options->by_partition || IsSet("SQUEUE_PRIORITY");
}

absl::Status Run(const jobs::SqueueOptions& typed, const client::PriorityClient& client,
                 Console& console) {
  jobs::SqueueOptions options = typed;
  ReadEnvironment(&options);
  if (options.start && !options.nodes.empty()) {
    auto description = ReadNodes(options.nodes);
    if (!description.ok()) return description.status();
    options.description = *std::move(description);
  }
  return jobs::Squeue(options, client, absl::Now(), console.out, console.err);
}

struct TypedScontrol {
  jobs::ScontrolOptions options;
  std::string nodes_file;  // --nodes; empty = the policy's lines
};

absl::Status Run(const TypedScontrol& typed, const client::PriorityClient& client,
                 Console& console) {
  const jobs::ScontrolOptions& options = typed.options;
  if (ShowsNodes(options.words)) return ShowNodes(options, typed.nodes_file, client, console);
  return jobs::Scontrol(options, client, absl::Now(), console.out, console.err, &console.exit_code);
}

void AddSqueueOptions(CLI::App* app, CommandLine& line) {
  app->set_help_flag("--help,--usage", "Print this help message and exit");
  app->footer(kSqueueVariables);
  auto options = Adopt<jobs::SqueueOptions>(app, line, Run);
  AddList(app, "-u,--user,--users", options->users, "Only jobs of these users");
  app->add_flag("--me", options->me, "Only your own jobs");
  AddList(app, "-A,--account,--accounts", options->accounts, "Only jobs charged to these accounts");
  AddList(app, "-p,--partition,--partitions", options->partitions,
          "Only jobs that may run in one of these partitions");
  AddList(app, "-q,--qos", options->qos, "Only jobs that may run under one of these QOS");
  AddList(app, "-t,--state,--states", options->states,
          "Only jobs in these states: PENDING (PD), RUNNING (R), SUSPENDED (S), COMPLETED (CD) "
          "and others of ended jobs, or all");
  AddList(app, "-n,--name", options->names, "Only jobs with these names");
  app->add_option("-j,--job,--jobs", options->jobs, "Only these jobs: 1,19,5_[1-3]")
      ->type_name("JOBS");
  app->add_option("-o,--format", options->format,
                  "Columns: %[.][WIDTH]LETTER, . for right-aligned; see squeue's manual")
      ->type_name("FORMAT");
  app->add_option("-O,--Format", options->long_format,
                  "Columns: NAME[:[.][WIDTH]],...; `place` is the place in the start order")
      ->type_name("FORMAT");
  app->add_option("-S,--sort", options->sort, "Letters of --format, - before one to reverse it")
      ->type_name("KEYS");
  app->add_flag("-l,--long", options->long_listing, "With time limits, and the time above");
  app->add_flag("-r,--array", options->by_task, "A line for each task of an array");
  app->add_flag("-P,--priority", options->by_partition, "A line for each partition of a job");
  app->add_flag("--start", options->start,
                "When pending jobs start by the plan for --nodes; otherwise when they can begin");
  app->add_flag("--forecast", options->forecast,
                "Only pending jobs, with the times between which eight of ten such jobs start, and "
                "by which half do (see prioctl forecast)")
      ->excludes("--start");
  AddNodes(app, options->nodes);
  app->add_flag_callback(
      "-h,--noheader", [options] { options->header = false; }, "Print no header");
  AddIgnored(app, "-a,--all", "Accepted; no partition is hidden");
  AddIgnored(app, "--local", "Accepted; only one cluster is shown anyway");
  AddIgnored(app, "-v,--verbose", "Accepted; nothing more is printed");
  AddClusters(app, line);
  AddJson(app, options->json);
}

void AddScontrolOptions(CLI::App* app, CommandLine& line) {
  app->set_help_flag("--help,--usage", "Print this help message and exit");
  auto typed = Adopt<TypedScontrol>(app, line, Run);
  jobs::ScontrolOptions& options = typed->options;
  app->add_option("COMMAND", options.words, kWords)->required()->type_name("");
  app->add_flag("-o,--oneliner", options.one_line, "A line for each job, partition or node");
  app->add_option("--on-behalf-of", options.on_behalf_of,
                  "With the rights of this user, and no others")
      ->type_name("USER");
  AddNodes(app, typed->nodes_file);
  AddIgnored(app, "-a,--all", "Accepted; nothing is hidden");
  AddIgnored(app, "-d,--details", "Accepted; nothing more is printed");
  AddIgnored(app, "-Q,--quiet", "Accepted; nothing less is printed");
  AddIgnored(app, "-v,--verbose", "Accepted; nothing more is printed");
  AddClusters(app, line);
  AddJson(app, options.json);
}

}  // namespace

const Command kSqueueCommand = {"squeue", "The tracked queue, as Slurm's squeue shows it",
                                AddSqueueOptions};

const Command kScontrolCommand = {
    "scontrol", "Change and show tracked jobs, as Slurm's scontrol does", AddScontrolOptions};

}  // namespace priorityd::prioctl
