#include "client/prioctl/import_command_line.h"

#include "client/prioctl/options.h"

namespace priorityd::prioctl {

void AddImportSqueue(CLI::App* import, CommandLine& line) {
  CLI::App* app = import->add_subcommand(
      "squeue",
      "What `squeue -a --json`, or `squeue -a -o "
      "\"%i|%u|%a|%P|%q|%T|%l|%D|%C|%m|%b|%j|%V|%S|%E|%y|%r|%v\"` printed: the tracked queue "
      "of source squeue becomes that; times are of your time zone. --json has memory and GPUs of "
      "every job, also of --mem-per-cpu and --gpus");
  auto options = Adopt<QueueUpdateOptions>(app, line);
  options->full_sync = true;
  options->of_squeue = true;
  options->source = "squeue";
  app->add_option("FILE", options->file, "The file; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--source", options->source, "Who tells of these jobs, and alone changes them")
      ->type_name("NAME")
      ->capture_default_str();
  AddYes(app, options->yes);
  AddStrict(app, options->strict);
  AddJson(app, options->json);
}

void AddImportSacct(CLI::App* import, CommandLine& line) {
  CLI::App* app = import->add_subcommand(
      "sacct",
      "What `sacct -a --json`, or `sacct -a -X -P --format=JobIDRaw,User,Account,Partition,QOS,"
      "Start,End,Suspended,AllocTRES` printed: a usage record for each job that is over; the same "
      "again counts once; times are of your time zone. Submit, Eligible, Timelimit, State, "
      "ExitCode, TotalCPU, ReqTRES, NodeList, and MaxRSS of steps (without -X) are told of the "
      "job");
  auto options = Adopt<ImportSacctOptions>(app, line);
  app->add_option("FILE", options->file, "The file; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--source", options->source, "Who tells of these records")
      ->type_name("NAME")
      ->capture_default_str();
  AddValidateOnly(app, options->validate_only);
  AddStrict(app, options->strict);
  AddJson(app, options->json);
}

}  // namespace priorityd::prioctl
