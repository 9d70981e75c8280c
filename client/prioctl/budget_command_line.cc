#include "client/prioctl/budget_command_line.h"

#include <memory>

#include "client/prioctl/options.h"

namespace priorityd::prioctl {
namespace {

constexpr int kMostDays = 366;

template <typename Options>
void AddNames(CLI::App* app, Options& options) {
  AddList(app, "-A,--accounts", options.accounts, "Only of these accounts and the users in them");
  AddList(app, "-u,--users", options.users, "Only of these users");
  AddList(app, "-q,--qos", options.qos, "Only of these QOS");
}

}  // namespace

void AddBudget(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "budget", "What is left of GrpTRESMins and GrpWall, and when they run out at this rate");
  auto options = std::make_shared<BudgetOptions>();
  // Not after a subcommand's.
  app->callback([app, options, &line] {
    if (app->get_subcommands().empty()) line.command = *options;
  });
  AddNames(app, *options);
  app->add_flag("--subtree", options->subtree, "With the accounts also all below them");
  app->add_option("--days", options->days, "The rate is that of so many days [7]")
      ->check(WholeNumber(1, kMostDays))
      ->type_name("N");
  AddJson(app, options->json);
  CLI::App* events =
      app->add_subcommand("events", "That usage reached 50, 80 or 100 % of a budget, once each");
  auto of_events = Adopt<BudgetEventsOptions>(events, line);
  events->add_option("--after", of_events->after, "Only events after the one of that number [0]")
      ->check(NotNegative())
      ->type_name("ID");
  AddNames(events, *of_events);
  AddJson(events, of_events->json);
}

void AddQosUsage(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand("qos-usage", "Usage and limits of QOS");
  auto options = Adopt<QosUsageOptions>(app, line);
  app->add_option("QOS", options->qos, "Only these")->type_name("");
  AddJson(app, options->json);
}

void AddCost(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "cost", "What a job costs if it takes all its time, and what that does to budgets");
  auto options = Adopt<CostOptions>(app, line);
  app->add_option("JOBID", options->job_id, "Which job; may be left out for the only one of a file")
      ->type_name("");
  app->add_option("--queue", options->file,
                  "Jobs as JSON Lines; - is standard input; default the tracked queue")
      ->type_name("FILE");
  AddJson(app, options->json);
}

}  // namespace priorityd::prioctl
