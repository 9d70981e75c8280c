#include "client/prioctl/queue_command_line.h"

#include <string>

#include "client/prioctl/options.h"

namespace priorityd::prioctl {
namespace {

void AddOnBehalfOf(CLI::App* app, std::string& user) {
  app->add_option("--on-behalf-of", user,
                  "With the rights of this user, and no others; for operators and frontends")
      ->type_name("USER");
}

void AddUpdate(CLI::App& queue, CommandLine& line, bool full_sync) {
  CLI::App* app = full_sync
                      ? queue.add_subcommand("sync",
                                             "Make the queue what the file says: jobs of the "
                                             "source that it does not name are removed")
                      : queue.add_subcommand("update", "Add jobs, or change those that are there");
  auto options = Adopt<QueueUpdateOptions>(app, line);
  options->full_sync = full_sync;
  app->add_option("FILE", options->file, "Jobs as JSON Lines; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--source", options->source,
                  "Who tells of these jobs, and alone changes them; default prioctl")
      ->type_name("NAME");
  if (full_sync) AddYes(app, options->yes);
  if (!full_sync) AddOnBehalfOf(app, options->on_behalf_of);
  AddJson(app, options->json);
}

void AddRemove(CLI::App& queue, CommandLine& line) {
  CLI::App* app = queue.add_subcommand("remove", "Remove jobs");
  auto options = Adopt<QueueRemoveOptions>(app, line);
  app->add_option("JOBID", options->job_ids, "The jobs")->required()->type_name("");
  AddOnBehalfOf(app, options->on_behalf_of);
  AddJson(app, options->json);
}

void AddQueueList(CLI::App& queue, CommandLine& line) {
  CLI::App* app = queue.add_subcommand("list", "Show the jobs");
  auto options = Adopt<QueueListOptions>(app, line);
  AddList(app, "-u,--users", options->users, "Only jobs of these users");
  AddList(app, "-A,--accounts", options->accounts, "Only jobs that name these accounts");
  AddList(app, "-p,--partitions", options->partitions, "Only jobs that name these partitions");
  AddList(app, "-t,--states", options->states, "Only jobs that are PENDING, RUNNING or SUSPENDED");
  AddList(app, "--sources", options->sources, "Only jobs of these sources");
  app->add_flag("--by-submit-time", options->by_submit_time, "Oldest first, not by job id");
  AddJson(app, options->json);
}

}  // namespace

void AddQueue(CLI::App& parent, CommandLine& line) {
  CLI::App* queue = parent.add_subcommand("queue", "The jobs that the service keeps");
  AddUpdate(*queue, line, /*full_sync=*/true);
  AddUpdate(*queue, line, /*full_sync=*/false);
  AddRemove(*queue, line);
  AddQueueList(*queue, line);
}

}  // namespace priorityd::prioctl
