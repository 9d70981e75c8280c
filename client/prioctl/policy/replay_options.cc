#include "client/prioctl/policy/replay_options.h"

#include <memory>
#include <string>

#include "client/prioctl/command/options.h"

namespace priorityd::prioctl {
namespace {

constexpr char kReplayFooter[] =
    "\nNo server is asked, except with --ledger, and nothing is changed. A HISTORY is what\n"
    "  sacct -a -X -P -S START -E END "
    "--format=JobIDRaw,User,Account,Partition,QOS,Submit,Eligible,\\\n"
    "        Start,End,Timelimit,AllocTRES,NodeList\n"
    "printed, or sacct --json, or a trace in the Standard Workload Format. A policy is a "
    "slurm.conf or\n"
    "lines of one: its Priority... parameters, SchedulerType (sched/backfill, sched/builtin) and "
    "of\n"
    "SchedulerParameters bf_max_job_test, bf_max_job_user, bf_max_job_assoc, bf_max_job_part and\n"
    "bf_window. docs/laboratory.md explains how jobs are played and figures computed.";

void AddFile(CLI::App* app, const std::string& name, std::string& file, const std::string& what) {
  app->add_option(name, file, what)->type_name("FILE");
}

void AddSite(CLI::App* app, ReplayOptions& options) {
  app->add_option("--site", options.site,
                  "The site's files in this folder: slurm.conf and, where there, sacctmgr.dump and "
                  "qos.txt")
      ->type_name("DIR");
  AddFile(app, "--slurm-conf", options.slurm_conf,
          "Nodes, partitions and the policy in force; the files it Includes are read beside it");
  AddFile(app, "--dump", options.dump,
          "What `sacctmgr dump` wrote: accounts, users, shares, limits; default one share each");
  AddFile(app, "--qos", options.qos, "What `sacctmgr -P show qos` printed");
  app->add_option("--nodes", options.nodes, "Without a slurm.conf: so many identical nodes")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N");
  app->add_option("--cpus-per-node", options.cpus_per_node, "CPUs of each of them [1]")
      ->check(WholeNumber(1, 100'000))
      ->type_name("N");
}

void AddPlanning(CLI::App* app, const std::shared_ptr<ReplayOptions>& options) {
  app->add_option_function<plan::Backfill>(
         "--backfill", [options](const plan::Backfill& given) { options->backfill = given; },
         "Of all policies: easy: no job delays the first waiting job; conservative: no job delays "
         "another; none; default as in each policy, otherwise easy")
      ->transform(OneOf({{"easy", static_cast<int>(plan::Backfill::kEasy)},
                         {"conservative", static_cast<int>(plan::Backfill::kConservative)},
                         {"none", static_cast<int>(plan::Backfill::kNone)}}))
      ->type_name("easy|conservative|none");
  app->add_option_function<uint32_t>(
         "--max-jobs", [options](uint32_t jobs) { options->max_jobs = jobs; },
         "Of all policies: look at so many waiting jobs (bf_max_job_test) [500]")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N");
  app->add_option_function<uint32_t>(
         "--window", [options](uint32_t minutes) { options->window = absl::Minutes(minutes); },
         "Of all policies: plan so many minutes ahead (bf_window) [1440]")
      ->check(WholeNumber(1, int64_t{366} * 24 * 60))
      ->type_name("MINUTES");
}

}  // namespace

void AddReplayOptions(CLI::App* app, const std::shared_ptr<ReplayOptions>& options) {
  app->add_option("HISTORY", options->history, "Job history; - is standard input")->type_name("");
  app->add_flag("--ledger", options->ledger,
                "Instead: the jobs that the server's ledger knows, on its site; files of the site "
                "that are given stand for the server's");
  AddTime(app, "--ledger-from", options->ledger_from,
          "Read jobs that ended at this time or later; default all of the ledger");
  AddTime(app, "--from", options->from,
          "Play from this time on; earlier starts stay as they were; default the first job");
  AddTime(app, "--to", options->to, "Leave out jobs that became eligible at this time or later");
  app->add_option("--policy,--against", options->policies,
                  "A policy to play; may be given again, each gets a column; default that of "
                  "slurm.conf, otherwise priority/basic")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app->add_option("--grants", options->grants,
                  "Also play each policy with these grants: a line for each, NAME SETTING=VALUE... "
                  "as of grant create, or transfer FROM TO AMOUNT [TIME]")
      ->type_name("FILE");
  AddFile(app, "--prices", options->prices,
          "The price books of these grants, as `priorityd-money book` and `prioctl export` write "
          "them; default with --ledger those of the server");
  AddSite(app, *options);
  AddPlanning(app, options);
  app->add_option("--load-factor", options->load_factor,
                  "Jobs are submitted so many times as fast; recorded waits are not shown then")
      ->check(NumberBetween(0.01, 100))
      ->type_name("N")
      ->capture_default_str();
  app->add_flag("--forecast", options->forecast,
                "Also how far each schedule's starts could have been forecast (prioctl forecast "
                "backtest); takes longer");
  app->add_option("--users", options->users,
                  "Show so many users, those with the most CPU time; 0 = all")
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--svg", options->svg, "Also draw it: a picture for browsers")->type_name("FILE");
  AddFile(app, "--write-sacct", options->write_sacct,
          "Also write the jobs as the first policy started them, as sacct -P prints them");
  AddJson(app, options->json);
  app->footer(kReplayFooter);
}

}  // namespace priorityd::prioctl
