#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/environment.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/nodes/sinfo.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/slurm/known_nodes.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

constexpr char kSinfoVariables[] =
    "\nDefaults of options in the environment: SINFO_FORMAT (-o), SINFO_PARTITION, SINFO_SORT.\n";

struct TypedSinfo {
  nodes::SinfoOptions options;
  std::string nodes_file;  // --nodes; empty = the policy's lines
};

// As sinfo reads it: -s, -N and -R have tables of their own.
void ReadEnvironment(nodes::SinfoOptions* options) {
  const bool has_table = !options->format.empty() || !options->long_format.empty() ||
                         options->summary || options->by_node || options->reasons;
  if (!has_table) SetFromEnvironment("SINFO_FORMAT", &options->format);
  SetFromEnvironment("SINFO_PARTITION", &options->partitions);
  SetFromEnvironment("SINFO_SORT", &options->sort);
}

absl::Status Run(const TypedSinfo& typed, const client::PriorityClient& client, Console& console) {
  nodes::SinfoOptions options = typed.options;
  ReadEnvironment(&options);
  if (absl::Status s = nodes::CheckSinfo(options); !s.ok()) return s;
  const auto known = ReadKnownNodes("sinfo", typed.nodes_file, client, console.err);
  if (!known.ok()) return known.status();
  return nodes::PrintSinfo(known->cluster, options, known->preempt_mode, absl::Now(), console.out);
}

void AddSinfoOptions(CLI::App* app, CommandLine& line) {
  AddToolOptions(app, "sinfo");
  AddFederation(app);
  app->footer(kSinfoVariables);
  auto typed = Adopt<TypedSinfo>(app, line, Run);
  nodes::SinfoOptions& options = typed->options;
  AddList(app, "-p,--partition", options.partitions, "Only these partitions");
  app->add_option("-n,--node", options.nodes, "Only these nodes: n[1-4],login")->type_name("NODES");
  app->add_option(
         "-t,--states", options.states,
         "Only nodes in these states: idle, mix, alloc, resv, maint, drain, down, fail, unk")
      ->type_name("STATES");
  app->add_flag("-N,--Node", options.by_node, "A line for each node of each partition");
  app->add_flag("-s,--summarize", options.summary, "A line for each partition");
  app->add_flag("-l,--long", options.long_listing, "More columns, and the time above");
  app->add_flag("-R,--list-reasons", options.reasons, "Why nodes are down, drained or failed");
  app->add_flag("-e,--exact", options.exact, "A line for each size of nodes");
  app->add_option("-o,--format", options.format,
                  "Columns: %[.][WIDTH]LETTER, . for right-aligned; see sinfo's manual")
      ->type_name("FORMAT");
  app->add_option("-O,--Format", options.long_format, "Columns: NAME[:[.][WIDTH]],...")
      ->type_name("FORMAT");
  app->add_option("-S,--sort", options.sort, "Letters of --format, - before one to reverse it")
      ->type_name("KEYS");
  app->add_flag_callback(
      "-h,--noheader", [typed] { typed->options.header = false; }, "Print no header");
  AddNodes(app, typed->nodes_file);
  AddIgnored(app, "-a,--all", "Accepted; no partition is hidden");
  AddIgnored(app, "--hide", "Accepted; no partition is hidden");
  AddIgnored(app, "-r,--responding", "Accepted; whether nodes respond is not known");
  AddClusters(app, line);
}

}  // namespace

const Command kSinfoCommand = {
    "sinfo", "Partitions and nodes, as Slurm's sinfo shows them, as far as they are known",
    AddSinfoOptions};

}  // namespace priorityd::prioctl
