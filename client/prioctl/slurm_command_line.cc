#include "client/prioctl/slurm_command_line.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/options.h"
#include "client/prioctl/sacctmgr_command_line.h"
#include "client/prioctl/slurm_jobs.h"
#include "version.h"

namespace priorityd::prioctl {
namespace {

constexpr char kReportHelp[] =
    "cluster AccountUtilizationByUser | UserUtilizationByAccount | AccountUtilizationByQOS | "
    "Utilization, job SizesByAccount, or user TopUsage; then Start=TIME End=TIME (exclusive; "
    "default yesterday) Accounts=LIST Users=LIST QOS=LIST Tree Group TopCount=N "
    "Format=FIELD[%WIDTH],...; of sizes Grouping=N,... FlatView AcctAsParent PrintJobCount";

void AddIgnored(CLI::App* app, const char* name, const char* why) {
  app->add_flag_callback(
      name, [] {}, why);
}

// What all of Slurm's tools take.
void AddCommon(CLI::App* app, const char* tool) {
  app->set_help_flag("--help,--usage", "Print this help message and exit");
  app->set_version_flag("-V,--version", absl::StrCat(tool, " (priorityd) ", kVersion));
  AddIgnored(app, "-v,--verbose", "Taken as Slurm takes it; there is no more to tell");
}

// What chooses among the clusters of a federation, of which the service has none.
void AddFederation(CLI::App* app) {
  AddIgnored(app, "--federation", "Taken as Slurm takes it; a cluster here is by itself");
  AddIgnored(app, "--local", "Taken as Slurm takes it; a cluster here is by itself");
}

void SetSshare(CLI::App* app, CommandLine& line) {
  AddCommon(app, "sshare");
  auto options = Adopt<SshareOptions>(app, line);
  AddList(app, "-A,--accounts", options->accounts, "Only these accounts");
  app->add_flag("-a,--all", options->all, "All users, not just the calling one");
  app->add_flag("-e,--helpformat", options->help_format, "Print the fields that --format takes");
  app->add_flag("-l,--long", options->long_listing, "More columns");
  app->add_option("-M,--clusters", line.cluster, "The cluster, as --cluster")->type_name("NAME");
  app->add_flag("-m,--partition", options->partitions, "Name the partition of an association");
  app->add_flag_callback(
      "-n,-h,--noheader", [options] { options->header = false; }, "Print no header");
  app->add_option("-o,--format", options->format, "Fields, each with a width if wanted")
      ->type_name("NAME[%WIDTH],...");
  AddLayout(app, options->layout);
  AddList(app, "-u,--users", options->users, "Only these users");
  app->add_flag("-U,--Users", options->users_only, "Only users, not the accounts above them");
  app->add_flag("--full-precision", options->full_precision,
                "Every number with 17 significant digits, RawUsage too");
  AddJson(app, options->json);
}

void SetSprio(CLI::App* app, CommandLine& line) {
  AddCommon(app, "sprio");
  AddFederation(app);
  auto options = Adopt<SprioOptions>(app, line);
  app->add_flag("-l,--long", options->long_listing, "All columns, the user too");
  app->add_flag("-n,--norm", options->normalized, "The factors, before the weights");
  app->add_flag("-w,--weights", options->weights, "Print the weight of each factor");
  app->add_option("-o,--format", options->format,
                  "Columns: %[.][SIZE]LETTER of AaBbFfJjPpQqTt (factors), SN, Yy, i o n r u")
      ->type_name("FORMAT");
  app->add_option("-S,--sort", options->sort, "Letters of --format, - before one to reverse it")
      ->type_name("KEYS");
  AddList(app, "-u,--user", options->users, "Only jobs of these users");
  AddList(app, "-j,--jobs", options->jobs, "Only these jobs");
  AddList(app, "-p,--partition", options->partitions, "Only rows of these partitions");
  app->add_flag_callback(
      "-h,--noheader", [options] { options->header = false; }, "Print no header");
  app->add_option("-M,--clusters", line.cluster, "The cluster, as --cluster")->type_name("NAME");
  AddAsOf(app, options->as_of, "For this time, not for now");
  AddJson(app, options->json);
}

void SetSreport(CLI::App* app, CommandLine& line) {
  AddCommon(app, "sreport");
  AddFederation(app);
  AddIgnored(app, "-a,--all_clusters", "The only cluster there is; of several name one by -M");
  AddIgnored(app, "-Q,--quiet", "Taken as Slurm takes it; nothing but the report is printed");
  auto options = std::make_shared<SreportOptions>();
  auto words = std::make_shared<std::vector<std::string>>();
  app->callback([=, &line] {
    const absl::Status parsed = ParseReportWords(*words, *options, line.cluster);
    if (!parsed.ok()) {
      throw CLI::ValidationError("REPORT", std::string(parsed.message()));
    }
    line.command = *options;
  });
  app->add_option("REPORT", *words, kReportHelp)->required()->type_name("");
  app->add_option_function<std::string>(
         "-t",
         [options](const std::string& text) {
           const absl::Status parsed = ParseReportTimeFormat(text, options->time_format);
           if (!parsed.ok()) throw CLI::ValidationError("-t", std::string(parsed.message()));
         },
         "Seconds, Minutes (default), Hours, Percent, SecPer, MinPer or HourPer")
      ->type_name("FORMAT");
  AddList(app, "-T,--tres", options->tres, "These trackable resources, or ALL; default cpu");
  app->add_option("--buckets", options->buckets, "hour, day, week, month, or a length such as 36h")
      ->type_name("BUCKET");
  app->add_flag("--usage-factor", options->usage_factor,
                "Count usage times the UsageFactor of its QOS, as fair-share does");
  app->add_option("-M,--clusters", line.cluster, "The cluster, as --cluster")->type_name("NAME");
  app->add_flag_callback(
      "-n,--noheader", [options] { options->header = false; }, "Print no header");
  AddLayout(app, options->layout);
  app->add_flag("--full-precision", options->full_precision,
                "Every number with 17 significant digits");
  AddPicture(app, options->picture);
  AddJson(app, options->json);
}

void SetSacct(CLI::App* app, CommandLine& line) {
  AddCommon(app, "sacct");
  auto options = Adopt<SacctOptions>(app, line);
  AddList(app, "-j,--jobs", options->jobs, "Only these jobs");
  AddList(app, "-u,--uid,--user", options->users, "Only jobs of these users");
  AddList(app, "-A,--accounts", options->accounts, "Only jobs charged to these accounts");
  app->add_flag("-a,--allusers", options->all_users, "All users, not just the calling one");
  app->add_option("-S,--starttime", options->start,
                  "Jobs that ran from then on; default midnight, with -j the beginning")
      ->type_name("TIME");
  app->add_option("-E,--endtime", options->end, "Jobs that ran before then; default now")
      ->type_name("TIME");
  app->add_option("-o,--format", options->format, "Fields, each with a width if wanted")
      ->type_name("NAME[%WIDTH],...");
  AddIgnored(app, "-X,--allocations", "Jobs without their steps, of which the ledger has none");
  app->add_option("-M,--clusters", line.cluster, "The cluster, as --cluster")->type_name("NAME");
  app->add_flag_callback(
      "-n,--noheader", [options] { options->header = false; }, "Print no header");
  AddLayout(app, options->layout);
  AddJson(app, options->json);
}

void SetSeff(CLI::App* app, CommandLine& line) {
  auto options = Adopt<SeffOptions>(app, line);
  app->add_option("JOBID", options->job_id, "Which job")->required()->type_name("");
  app->add_option("-M,--clusters", line.cluster, "The cluster, as --cluster")->type_name("NAME");
  AddJson(app, options->json);
}

constexpr SlurmTool kSlurmTools[] = {
    {"sshare", "The association tree, as Slurm's sshare shows it", SetSshare},
    {"sprio", "The factors of the tracked jobs' priorities, as Slurm's sprio shows them", SetSprio},
    {"sreport", "Undecayed usage, as Slurm's sreport shows it", SetSreport},
    {"sacct", "What jobs used, as far as the ledger can tell, in the columns of Slurm's sacct",
     SetSacct},
    {"seff", "What a job did with its CPUs and memory, as Slurm's seff shows it", SetSeff},
    {"sacctmgr", "Shows and changes accounts, users, QOS and clusters, as Slurm's sacctmgr does",
     SetSacctmgr},
    {"squeue", "The tracked queue, as Slurm's squeue shows it", SetSqueue},
    {"scontrol", "Change and show tracked jobs, as Slurm's scontrol does", SetScontrol},
};

}  // namespace

absl::Span<const SlurmTool> SlurmTools() { return kSlurmTools; }

}  // namespace priorityd::prioctl
