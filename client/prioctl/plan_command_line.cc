#include "client/prioctl/plan_command_line.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/options.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::PartitionCap;

PartitionCap ParseCap(const std::string& text) {
  const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
  uint32_t nodes = 0;
  if (sides.size() != 2 || sides[0].empty() || !absl::SimpleAtoi(sides[1], &nodes)) {
    throw CLI::ValidationError("--cap", absl::StrCat("got \"", text, "\", want PARTITION=NODES"));
  }
  PartitionCap cap;
  cap.set_partition(sides[0]);
  cap.set_nodes(nodes);
  return cap;
}

// `options` lives as long as `app`.
void AddDescription(CLI::App* app, DescribedNodes& nodes) {
  AddNodes(app, nodes.file)->required();
  app->add_option_function<std::vector<std::string>>(
         "--cap",
         [&nodes](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) nodes.caps.push_back(ParseCap(text));
         },
         "Jobs of the partition may hold so many nodes; may be given again")
      ->allow_extra_args(false)
      ->type_name("PARTITION=NODES");
}

void AddQueue(CLI::App* app, std::string& queue) {
  app->add_option("--queue", queue,
                  "Jobs as JSON Lines; - is standard input; default the tracked queue")
      ->type_name("FILE");
}

}  // namespace

CLI::Option* AddNodes(CLI::App* app, std::string& file) {
  return app
      ->add_option("--nodes", file,
                   "The nodes: slurm.conf, or a ClusterDescription of the API as JSON")
      ->envname("PRIORITYD_NODES")
      ->type_name("FILE");
}

void AddPlan(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "plan", "When waiting jobs start, which may start now, and why the others may not");
  auto options = Adopt<PlanOptions>(app, line);
  app->add_option("JOBID", options->job_ids, "Only these jobs; the plan is the same")
      ->type_name("");
  AddQueue(app, options->queue);
  AddDescription(app, options->nodes);
  app->add_option("--backfill", options->backfill,
                  "easy: nobody delays the first that waits; conservative: nobody delays anybody; "
                  "none [easy]")
      ->transform(OneOf({{"easy", ::priority::v1::BACKFILL_EASY},
                         {"conservative", ::priority::v1::BACKFILL_CONSERVATIVE},
                         {"none", ::priority::v1::BACKFILL_NONE}}))
      ->type_name("easy|conservative|none");
  app->add_option("--max-jobs", options->max_jobs, "Look at so many jobs (bf_max_job_test) [500]")
      ->check(WholeNumber(1, 10'000))
      ->type_name("N");
  app->add_option_function<uint32_t>(
         "--window", [options](uint32_t minutes) { options->window = absl::Minutes(minutes); },
         "Plan so many minutes ahead (bf_window) [1440]")
      ->check(WholeNumber(1, int64_t{366} * 24 * 60))
      ->type_name("MINUTES");
  AddAsOf(app, options->as_of, "Plan for this time, not for now");
  AddJson(app, options->json);
}

void AddPreempt(CLI::App& parent, CommandLine& line) {
  CLI::App* app =
      parent.add_subcommand("preempt", "Which running jobs a waiting job would preempt; ends none");
  auto options = Adopt<PreemptOptions>(app, line);
  app->add_option("JOBID", options->job_id, "The waiting job")->required()->type_name("");
  AddQueue(app, options->queue);
  AddDescription(app, options->nodes);
  app->add_option("--exempt", options->exempt_seconds,
                  "Not jobs that have run for less, whatever PreemptExemptTime says")
      ->type_name("SECONDS");
  AddAsOf(app, options->as_of, "Ask for this time, not for now");
  AddJson(app, options->json);
}

}  // namespace priorityd::prioctl
