#include "client/examples/batch_frontend/options.h"

#include <CLI/CLI.hpp>

namespace priorityd::batch_frontend {
namespace {

constexpr char kDescription[] =
    "Plays a trace of jobs in simulated time as a batch scheduler whose priorities come from\n"
    "priorityd: jobs start in the order of RankJobs, with EASY backfill. Prints waits, usage\n"
    "against shares, and how fair it was.\n";

constexpr char kFooter[] =
    "\nExample:\n"
    "  batch_frontend nasa.swf --nodes 128 --load-factor 4 --half-life 4-0 --svg shares.svg\n"
    "\nThe cluster must be new to priorityd: its clock never goes back.\n";

void AddSite(CLI::App* app, Options* options) {
  app->add_option("--nodes", options->play.nodes, "Nodes of the cluster")
      ->required()
      ->check(CLI::Range(1, 100'000));
  app->add_option("--cpus-per-node", options->play.cpus_per_node, "CPUs of each node [1]")
      ->check(CLI::Range(1, 100'000));
  app->add_option("--slurm-conf", options->slurm_conf,
                  "The site's own slurm.conf, with Clock=manual and the same nodes")
      ->check(CLI::ExistingFile);
  app->add_option("--dump", options->dump, "The site's own sacctmgr dump")
      ->check(CLI::ExistingFile);
  app->add_option("--priority-type", options->site.priority_type,
                  "Without --slurm-conf: PriorityType [priority/multifactor]");
  app->add_option("--half-life", options->site.half_life,
                  "Without --slurm-conf: PriorityDecayHalfLife [7-0]");
  app->add_option("--calc-period", options->site.calc_period_minutes,
                  "Without --slurm-conf: PriorityCalcPeriod, in minutes [5]")
      ->check(CLI::Range(1, 100'000));
}

void AddWorkload(CLI::App* app, Options* options) {
  app->add_option("trace", options->trace, "The jobs, in the Standard Workload Format")
      ->required()
      ->check(CLI::ExistingFile);
  app->add_option("--load-factor", options->workload.load_factor,
                  "Submit jobs so many times as fast [1]")
      ->check(CLI::Range(1e-3, 1e3));
  app->add_option("--max-jobs", options->workload.max_jobs, "Only the first N jobs");
  app->add_option("--overestimate", options->workload.overestimate,
                  "Time limits that the trace lacks: so many times the run time [1]")
      ->check(CLI::Range(1.0, 1e6));
  app->add_option("--pass-interval", options->pass_interval_seconds,
                  "Least time between two scheduling passes, in simulated seconds [60]")
      ->check(CLI::Range(0, 86'400));
  app->add_option("--depth", options->play.depth, "Jobs considered in a scheduling pass [100]")
      ->check(CLI::Range(1, 1'000'000));
  app->add_flag("!--no-backfill", options->play.backfill, "Only the main loop");
}

void AddOutput(CLI::App* app, Options* options) {
  app->add_flag("--json", options->json, "Print the summary as JSON");
  app->add_option("--csv", options->csv, "Write users' usage shares over time");
  app->add_option("--svg", options->svg, "Draw them with gnuplot (package gnuplot-nox)");
  app->add_option("--events", options->events, "Write each submission, start and end");
  app->add_option("--sample-hours", options->sample_hours,
                  "Interval of usage samples for --csv and --svg, in simulated hours [6]")
      ->check(CLI::Range(0.01, 1e5));
  app->add_option("--demand-window", options->demand_window_hours,
                  "Enough demand = a pending job at every time in so many hours [a half-life]")
      ->check(CLI::Range(0.0, 1e6));
  app->add_flag("--calls", options->show_calls, "Print the times of the calls to stderr");
}

}  // namespace

std::variant<Options, Exit> ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app(kDescription, "batch_frontend");
  app.footer(kFooter);
  app.add_option("--server", options.server, "Address of priorityd [127.0.0.1:7411]")
      ->envname("PRIORITYD_SERVER");
  app.add_option("--cluster", options.site.cluster, "The cluster to create [simulated]")
      ->envname("PRIORITYD_CLUSTER");
  AddWorkload(&app, &options);
  AddSite(&app, &options);
  AddOutput(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Exit{0, app.help()};
  } catch (const CLI::ParseError& error) {
    return Exit{1, std::string("batch_frontend: ") + error.what() + " (see --help)\n"};
  }
  options.site.nodes = options.play.nodes;
  options.site.cpus_per_node = options.play.cpus_per_node;
  options.workload.cpus_per_node = options.play.cpus_per_node;
  options.play.pass_interval = absl::Seconds(options.pass_interval_seconds);
  options.play.sample_period = absl::Hours(options.sample_hours);
  return options;
}

}  // namespace priorityd::batch_frontend
