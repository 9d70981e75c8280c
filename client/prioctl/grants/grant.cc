#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/grants/commands.h"
#include "client/prioctl/grants/grant_changes.h"
#include "client/prioctl/grants/grant_text.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// `prioctl grant list`
struct GrantListOptions {
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  bool past = false;
  GrantLayout layout;
  bool json = false;
};

// `prioctl grant show NAME` and `grant statement NAME`
struct GrantStatementOptions {
  std::string name;
  GrantLayout layout;
  bool json = false;
};

// In the zone of the policy, as the times of settings are read.
GrantLayout InPolicyZone(GrantLayout layout, const client::PriorityClient& client) {
  layout.zone = tables::PolicyZone(client);
  return layout;
}

absl::Status ListGrants(const GrantListOptions& options, const client::PriorityClient& client,
                        Console& console) {
  v1::ListGrantsRequest request;
  request.mutable_accounts()->Assign(options.accounts.begin(), options.accounts.end());
  request.mutable_users()->Assign(options.users.begin(), options.users.end());
  request.set_include_past(options.past);
  const auto list = client.ListGrants(std::move(request));
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  if (list->grants().empty() && options.layout.for_people()) {
    console.out << (options.past ? "no grants\n"
                                 : "no grants; --past lists those that ended or were revoked\n");
  }
  PrintGrants(*list, InPolicyZone(options.layout, client), console.out);
  return absl::OkStatus();
}

absl::StatusOr<v1::GetGrantStatementResponse> StatementOf(const std::string& name,
                                                          const client::PriorityClient& client) {
  v1::GetGrantStatementRequest request;
  request.set_name(name);
  return client.GetGrantStatement(std::move(request));
}

absl::Status ShowGrant(const GrantStatementOptions& options, const client::PriorityClient& client,
                       Console& console) {
  const auto statement = StatementOf(options.name, client);
  if (!statement.ok()) return statement.status();
  if (options.json) return PrintJson(statement->grant(), console.out);
  PrintGrant(*statement, InPolicyZone(options.layout, client), console.out);
  return absl::OkStatus();
}

absl::Status ShowStatement(const GrantStatementOptions& options,
                           const client::PriorityClient& client, Console& console) {
  const auto statement = StatementOf(options.name, client);
  if (!statement.ok()) return statement.status();
  if (options.json) return PrintJson(*statement, console.out);
  PrintStatement(*statement, InPolicyZone(options.layout, client), console.out);
  return absl::OkStatus();
}

void AddHours(CLI::App* app, GrantLayout& layout) {
  app->add_flag("--hours", layout.hours, "Amounts in TRES-hours; otherwise in TRES-minutes");
}

void AddGrantListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<GrantListOptions>(app, line, ListGrants);
  AddList(app, "-A,--accounts", options->accounts,
          "Only of these accounts, of those above them, and of users in them");
  AddList(app, "-u,--users", options->users, "Only of these users");
  app->add_flag("--past", options->past, "Also those that ended or were revoked");
  AddHours(app, options->layout);
  AddLayout(app, options->layout.table);
  AddClusters(app, line);
  AddJson(app, options->json);
}

std::shared_ptr<GrantStatementOptions> AddStatementOf(CLI::App* app, CommandLine& line,
                                                      Runner<GrantStatementOptions> run) {
  auto options = Adopt<GrantStatementOptions>(app, line, run);
  app->add_option("NAME", options->name, "The grant")->required()->type_name("");
  AddHours(app, options->layout);
  AddClusters(app, line);
  AddJson(app, options->json);
  return options;
}

void AddGrantShowOptions(CLI::App* app, CommandLine& line) { AddStatementOf(app, line, ShowGrant); }

void AddGrantStatementOptions(CLI::App* app, CommandLine& line) {
  const auto options = AddStatementOf(app, line, ShowStatement);
  AddLayout(app, options->layout.table);
}

void AddChange(CLI::App* app, CommandLine& line, GrantChangeOptions& change) {
  app->add_option("--comment", change.comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, change.validate_only);
  AddClusters(app, line);
  AddJson(app, change.json);
}

void AddGrantSettings(CLI::App* app, CommandLine& line, Runner<GrantSettingsOptions> run) {
  auto options = Adopt<GrantSettingsOptions>(app, line, run);
  app->add_option("NAME", options->name, "The grant")->required()->type_name("");
  app->add_option("SETTING", options->settings, "NAME=VALUE, see below")->required()->type_name("");
  AddChange(app, line, options->change);
  app->footer(
      "\nSettings: Accounts=chem,phys User=ann TRES=billing (or cpu=1,gres/gpu=20),\n"
      "Amount=120000 (TRES-minutes) or Amount=2000h, Begin=now End=TIME,\n"
      "Window=fixed|month|quarter|year|rolling:DAYS,\n"
      "CarryOver=10% CarryOverCap=50% CarryOverWindows=2 CarryOverHalfLife=15-00:00:00,\n"
      "Borrow=10% Grace=20% Order=1,\n"
      "Consequence=none|warn|demote:QOS|demote:FACTOR=PART|demote:Band=N|cap:TRES=N|block|refuse.\n"
      "A new grant needs Accounts and Amount. docs/grants.md says what each does.");
}

void AddGrantCreateOptions(CLI::App* app, CommandLine& line) {
  AddGrantSettings(app, line, CreateGrant);
}

void AddGrantUpdateOptions(CLI::App* app, CommandLine& line) {
  AddGrantSettings(app, line, UpdateGrant);
}

void AddGrantTransferOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<GrantTransferOptions>(app, line, TransferGrant);
  app->add_option("FROM", options->from, "The grant that gives")->required()->type_name("");
  app->add_option("TO", options->to, "The grant that receives")->required()->type_name("");
  app->add_option("--amount", options->amount,
                  "TRES-minutes such as 120000, TRES-hours such as 2000h, or money such as 200.50")
      ->required()
      ->type_name("N");
  AddChange(app, line, options->change);
}

void AddGrantRevokeOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<GrantRevokeOptions>(app, line, RevokeGrant);
  app->add_option("NAME", options->name, "The grant")->required()->type_name("");
  AddYes(app, options->yes);
  AddChange(app, line, options->change);
}

constexpr Command kGrantCommands[] = {
    {"list", "What each grant leaves in its present window", AddGrantListOptions},
    {"show", "The settings of a grant, its present window, and how its amount changed",
     AddGrantShowOptions},
    {"statement", "What a grant gave, carried over and charged in each window",
     AddGrantStatementOptions},
    {"create", "Grant accounts or a user an amount of usage", AddGrantCreateOptions},
    {"update", "Change a grant; another amount holds from its present window on",
     AddGrantUpdateOptions},
    {"transfer", "Move an amount from one grant to another", AddGrantTransferOptions},
    {"revoke", "End a grant now; its statement is kept", AddGrantRevokeOptions},
};

void AddGrantGroup(CLI::App* app, CommandLine& line) { AddCommands(kGrantCommands, app, line); }

}  // namespace

const Command kGrantCommand = {
    "grant", "What accounts or users may use in windows of time, and what is left of it",
    AddGrantGroup};

}  // namespace priorityd::prioctl
