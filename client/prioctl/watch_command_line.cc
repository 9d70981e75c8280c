#include "client/prioctl/watch_command_line.h"

#include <cstdint>

#include "client/prioctl/options.h"

namespace priorityd::prioctl {

void AddWatch(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "watch", "Show the top of the tracked queue and what changes, until interrupted");
  auto options = Adopt<WatchOptions>(app, line);
  app->add_option("--limit", options->limit,
                  "Only so many rows; default what the screen shows, else 100")
      ->check(WholeNumber(1, 10000))
      ->type_name("N");
  AddList(app, "-p,--partition,--partitions", options->partitions, "Only rows of these partitions");
  AddList(app, "-A,--account,--accounts", options->accounts, "Only jobs charged to these accounts");
  AddList(app, "-u,--user,--users", options->users, "Only jobs of these users");
  app->add_flag("--best-only", options->best_only, "Only the first row of each job");
  app->add_flag("--explain", options->explain, "Add what each factor contributes");
  app->add_flag("--ineligible", options->ineligible,
                "Also the jobs that cannot start, each with the reason");
  app->add_option("--interval", options->interval_seconds,
                  "At least so many seconds between two answers; default 0: as soon as known")
      ->check(NumberBetween(0, 3600))
      ->type_name("SECONDS");
  app->add_option("--age-interval", options->age_interval_seconds,
                  "Look every so many seconds for what time alone has changed; default never")
      ->check(NumberBetween(0.1, 1e9))
      ->type_name("SECONDS");
  app->add_option("--count", options->count, "End after so many answers")
      ->check(WholeNumber(1))
      ->type_name("N");
  app->add_flag("--json", options->json, "Print each answer as one line of JSON");
}

}  // namespace priorityd::prioctl
