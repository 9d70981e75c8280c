#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/jobs_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/commands.h"
#include "client/prioctl/usage/grant_cost.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl budget`
struct BudgetOptions {
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  bool subtree = false;
  int32_t days = 7;  // How far back usage counts for the rate.
  bool json = false;
};

// `prioctl budget events`
struct BudgetEventsOptions {
  int64_t after = 0;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  bool json = false;
};

// `prioctl qos-usage`
struct QosUsageOptions {
  std::vector<std::string> qos;
  bool json = false;
};

// `prioctl cost JOBID`, or of a job of a file.
struct CostOptions {
  std::string job_id;
  std::string file;  // Jobs as JSON Lines; empty = the tracked queue.
  bool json = false;
};

namespace v1 = ::priority::v1;

constexpr int64_t kSecondsPerDay = 86400;

template <typename Options, typename Request>
void SetNames(const Options& options, Request* request) {
  request->mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  request->mutable_users()->Add(options.users.begin(), options.users.end());
  request->mutable_qos()->Add(options.qos.begin(), options.qos.end());
}

// By sacctmgr's names: `GrpTRESMins=billing`.
std::string LimitText(const std::string& tres) {
  return tres.empty() ? "GrpWall" : absl::StrCat("GrpTRESMins=", tres);
}

std::string UsedText(double part, double whole) {
  return whole > 0 ? absl::StrFormat("%.1f%%", part / whole * 100) : "-";
}

std::string RunsOutText(const v1::Budget& budget) {
  if (budget.left_minutes() <= 0) return "used up";
  return budget.has_runs_out_time() ? TimeText(budget.runs_out_time()) : "-";
}

void Print(const v1::ListBudgetsResponse& list, std::ostream& out) {
  Table table({{"ACCOUNT"},
               {"USER"},
               {"PARTITION"},
               {"QOS"},
               {"LIMIT"},
               {"MINUTES", true},
               {"USED", true},
               {"USED%", true},
               {"RUNMINS", true},
               {"LEFT", true},
               {"PERDAY", true},
               {"RUNSOUT"}});
  for (const v1::Budget& budget : list.budgets()) {
    table.AddRow({budget.account(), budget.user(), budget.partition(), budget.qos(),
                  LimitText(budget.tres()), NumberText(budget.limit_minutes()),
                  NumberText(budget.used_minutes()),
                  UsedText(budget.used_minutes(), budget.limit_minutes()),
                  NumberText(budget.run_minutes()), NumberText(budget.left_minutes()),
                  NumberText(budget.minutes_per_day()), RunsOutText(budget)});
  }
  table.Print(out);
  if (table.empty()) out << "no limits GrpTRESMins or GrpWall\n";
  out << '\n' << SnapshotText(list.snapshot()) << '\n';
}

using Amounts = google::protobuf::Map<std::string, double>;

std::string Amount(const Amounts& amounts, const std::string& name, double per = 1) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? "" : NumberText(found->second / per);
}

// The TRES that are used or limited, in the order of the answer.
std::vector<std::string> TresOf(const v1::ListQosUsageResponse& list, const v1::QosUsage& qos) {
  std::vector<std::string> names;
  for (const std::string& name : list.tres()) {
    if (qos.tres_usage().contains(name) || qos.tres_run_mins().contains(name) ||
        qos.grp_tres_mins().contains(name) || qos.other_limits().contains("GrpTRES=" + name)) {
      names.push_back(name);
    }
  }
  return names;
}

void AddRows(const v1::ListQosUsageResponse& list, const v1::QosUsage& qos, Table* table) {
  const auto limit = [&](const std::string& name) { return Amount(qos.other_limits(), name); };
  const double wall = static_cast<double>(qos.wall_usage().seconds()) / 60;
  table->AddRow(
      {qos.name(), "wall", NumberText(wall),
       qos.has_grp_wall() ? NumberText(static_cast<double>(qos.grp_wall().seconds()) / 60) : "", "",
       "", "", ""});
  table->AddRow(
      {qos.name(), "jobs", "", "", "", "", absl::StrCat(qos.running_jobs()), limit("GrpJobs")});
  table->AddRow({qos.name(), "submitted", "", "", "", "", absl::StrCat(qos.submitted_jobs()),
                 limit("GrpSubmitJobs")});
  for (const std::string& tres : TresOf(list, qos)) {
    table->AddRow({qos.name(), tres, Amount(qos.tres_usage(), tres, 60),
                   Amount(qos.grp_tres_mins(), tres), Amount(qos.tres_run_mins(), tres),
                   limit("GrpTRESRunMins=" + tres), Amount(qos.tres_running(), tres),
                   limit("GrpTRES=" + tres)});
  }
}

void Print(const v1::JobCost& cost, std::ostream& out) {
  out << "Job " << cost.job_id() << " of " << cost.user() << " in account " << cost.account();
  if (!cost.partition().empty()) out << ", partition " << cost.partition();
  if (!cost.qos().empty()) out << ", QOS " << cost.qos();
  out << "\n\n";
  Table terms({{"TRES"}, {"COUNT", true}, {"WEIGHT", true}, {"VALUE", true}, {"COUNTED"}});
  for (const v1::BillingTerm& term : cost.billing().terms()) {
    terms.AddRow({term.tres(), NumberText(term.count()), NumberText(term.weight()),
                  NumberText(term.value()), term.counted() ? "yes" : "no"});
  }
  terms.Print(out);
  if (!terms.empty()) out << '\n';
  Table minutes({{"TRES"}, {"MINUTES", true}, {"HOURS", true}});
  const std::map<std::string, double> held(cost.tres_mins().begin(), cost.tres_mins().end());
  for (const auto& [tres, amount] : held) {
    minutes.AddRow({tres, NumberText(amount), NumberText(amount / 60)});
  }
  minutes.Print(out);
  if (!minutes.empty()) out << '\n';
  for (const std::string& sentence : cost.sentences()) out << sentence << '\n';
}

// An error for an account or user of the command line without an association, of those that the
// caller may see. Otherwise a mistyped name would be one without limits.
absl::Status CheckNames(const BudgetOptions& options, const client::PriorityClient& client) {
  for (const bool of_users : {false, true}) {
    const std::vector<std::string>& names = of_users ? options.users : options.accounts;
    if (names.empty()) continue;
    v1::ListSharesRequest request;
    (of_users ? request.mutable_users() : request.mutable_accounts())
        ->Add(names.begin(), names.end());
    request.set_accounts_only(!of_users);
    const auto shares = client.ListAllShares(std::move(request));
    if (!shares.ok()) return shares.status();
    std::set<std::string> known;
    for (const v1::AssociationShare& share : shares->shares()) {
      known.insert(of_users ? share.user() : share.account());
    }
    for (const std::string& name : names) {
      if (known.contains(name)) continue;
      return absl::NotFoundError(absl::StrCat(of_users ? "--users" : "--accounts", ": got \"", name,
                                              "\", want ", of_users ? "a user" : "an account",
                                              " of the cluster"));
    }
  }
  return absl::OkStatus();
}

absl::Status Run(const BudgetOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (absl::Status s = CheckNames(options, client); !s.ok()) return s;
  v1::ListBudgetsRequest request;
  SetNames(options, &request);
  request.set_subtree(options.subtree);
  request.mutable_rate_window()->set_seconds(options.days * kSecondsPerDay);
  const auto list = client.ListAllBudgets(std::move(request));
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  Print(*list, console.out);
  return absl::OkStatus();
}

absl::Status Run(const BudgetEventsOptions& options, const client::PriorityClient& client,
                 Console& console) {
  v1::ListBudgetEventsRequest request;
  SetNames(options, &request);
  request.set_after_event_id(options.after);
  const auto list = client.ListBudgetEvents(std::move(request));
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  Table table({{"ID", true},
               {"TIME"},
               {"ACCOUNT"},
               {"USER"},
               {"PARTITION"},
               {"QOS"},
               {"LIMIT"},
               {"REACHED", true},
               {"MINUTES", true},
               {"USED", true}});
  for (const v1::BudgetEvent& event : list->events()) {
    const auto amount = [&event](double minutes) {
      return event.currency().empty()
                 ? NumberText(minutes)
                 : absl::StrCat(HundredthsText(minutes / 60), " ", event.currency());
    };
    table.AddRow(
        {absl::StrCat(event.event_id()), TimeText(event.reached_time(), event.has_reached_time()),
         event.account(), event.user(), event.partition(), event.qos(),
         event.grant().empty() ? LimitText(event.tres()) : absl::StrCat("grant ", event.grant()),
         absl::StrCat(event.percent(), "%"), amount(event.limit_minutes()),
         amount(event.used_minutes())});
  }
  table.Print(console.out);
  if (!table.empty()) console.out << '\n';
  console.out << (list->more() ? "There are more: " : "") << "--after " << list->last_event_id()
              << " prints those that come then\n";
  return absl::OkStatus();
}

absl::Status Run(const QosUsageOptions& options, const client::PriorityClient& client,
                 Console& console) {
  v1::ListQosUsageRequest request;
  request.mutable_qos()->Add(options.qos.begin(), options.qos.end());
  const auto list = client.ListQosUsage(std::move(request));
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  Table table({{"QOS"},
               {"TRES"},
               {"USEDMINS", true},
               {"GRPTRESMINS", true},
               {"RUNMINS", true},
               {"GRPTRESRUNMINS", true},
               {"RUNNING", true},
               {"GRPTRES", true}});
  for (const v1::QosUsage& qos : list->qos()) AddRows(*list, qos, &table);
  table.Print(console.out);
  if (!table.empty()) console.out << '\n';
  console.out << SnapshotText(list->snapshot()) << '\n';
  return absl::OkStatus();
}

absl::Status Run(const CostOptions& options, const client::PriorityClient& client,
                 Console& console) {
  v1::EstimateJobCostRequest request;
  request.set_job_id(options.job_id);
  if (absl::Status s = SetQueue(options.file, &request); !s.ok()) return s;
  const auto costs = client.EstimateJobCost(std::move(request));
  if (!costs.ok()) return costs.status();
  if (options.json) return PrintJson(*costs, console.out);
  GrantCosts grants(client);
  for (int i = 0; i < costs->costs_size(); ++i) {
    if (i > 0) console.out << '\n';
    Print(costs->costs(i), console.out);
    if (absl::Status s = grants.Print(costs->costs(i), console.out); !s.ok()) return s;
  }
  console.out << '\n' << SnapshotText(costs->snapshot()) << '\n';
  return absl::OkStatus();
}

constexpr int kMostDays = 366;

template <typename Options>
void AddNames(CLI::App* app, Options& options) {
  AddList(app, "-A,--accounts", options.accounts, "Only of these accounts and the users in them");
  AddList(app, "-u,--users", options.users, "Only of these users");
  AddList(app, "-q,--qos", options.qos, "Only of these QOS");
}

void AddBudgetEventsOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<BudgetEventsOptions>(app, line, Run);
  app->add_option("--after", options->after, "Only events after the one of that number [0]")
      ->check(NotNegative())
      ->type_name("ID");
  AddNames(app, *options);
  AddJson(app, options->json);
}

constexpr Command kBudgetEvents = {"events",
                                   "Budgets of which usage has reached 50, 80 or 100 %, once each",
                                   AddBudgetEventsOptions};

void AddBudgetOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<BudgetOptions>(app, line, Run);
  AddNames(app, *options);
  app->add_flag("--subtree", options->subtree, "With the accounts also all below them");
  app->add_option("--days", options->days, "The rate is that of so many days [7]")
      ->check(WholeNumber(1, kMostDays))
      ->type_name("N");
  AddJson(app, options->json);
  AddCommands({&kBudgetEvents, 1}, app, line);
}

void AddQosUsageOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<QosUsageOptions>(app, line, Run);
  app->add_option("QOS", options->qos, "Only these QOS")->type_name("");
  AddJson(app, options->json);
}

void AddCostOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<CostOptions>(app, line, Run);
  app->add_option("JOBID", options->job_id, "Which job; may be left out for the only one of a file")
      ->type_name("");
  app->add_option("--queue", options->file,
                  "Jobs as JSON Lines; - is standard input; default the tracked queue")
      ->type_name("FILE");
  AddJson(app, options->json);
}

}  // namespace

const Command kBudgetCommand = {
    "budget", "What is left of GrpTRESMins and GrpWall, and when they run out at this rate",
    AddBudgetOptions};

const Command kQosUsageCommand = {"qos-usage", "Usage and limits of QOS", AddQosUsageOptions};

const Command kCostCommand = {
    "cost", "What a job costs if it runs until its time limit, and what budgets then have left",
    AddCostOptions};

}  // namespace priorityd::prioctl
