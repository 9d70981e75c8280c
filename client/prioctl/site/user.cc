#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// `prioctl user list`
struct MergeListOptions {
  bool json = false;
};

// `prioctl user merge` and `user unmerge`
struct MergeOptions {
  std::string from;
  std::string into;      // Only of merge.
  bool members = false;  // Only of merge.
  std::string comment;
  bool validate_only = false;
  bool json = false;
};

// Without the caller's proof and address, which --json has.
std::string WhoMerged(const v1::UserMerge& merge) {
  return merge.merged_by().substr(0, merge.merged_by().find(" ("));
}

absl::Status ListMerges(const MergeListOptions& options, const client::PriorityClient& client,
                        Console& console) {
  const auto list = client.ListUserMerges({});
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  if (list->merges().empty()) {
    console.out << "no merged users\n";
    return absl::OkStatus();
  }
  Table table({{"USER"}, {"COUNTS AS"}, {"OF"}, {"SINCE"}, {"WHO"}, {"COMMENT"}});
  for (const v1::UserMerge& merge : list->merges()) {
    table.AddRow({merge.from_user(), merge.into_user(), merge.of_domain() ? "domain" : "cluster",
                  TimeText(merge.merged_at()), WhoMerged(merge), merge.comment()});
  }
  table.Print(console.out);
  return absl::OkStatus();
}

void SetMergeOptions(const MergeOptions& options, v1::ChangeOptions* change) {
  change->set_comment(options.comment);
  change->set_validate_only(options.validate_only);
}

absl::Status PrintMerge(const absl::StatusOr<v1::ChangeResponse>& response,
                        const MergeOptions& options, Console& console) {
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.err << WarningLines(response->warnings());
  if (response->created() + response->deleted() == 0) {
    console.out << "already as wanted, nothing changed\n";
    return absl::OkStatus();
  }
  console.out << (options.validate_only ? "valid: would change\n" : "changed\n")
              << sacctmgr::ChangeLines(*response);
  return absl::OkStatus();
}

// A service that does not know --members ignores it.
absl::Status CheckMembers(const v1::ChangeResponse& response, const MergeOptions& options) {
  if (!options.members || response.with_members()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("--members: got an answer of a service that does not know it: ", options.from,
                   options.validate_only ? " would be" : " is", " merged into ", options.into,
                   " in the domain alone; upgrade the service, then repeat the command"));
}

absl::Status MergeUsers(const MergeOptions& options, const client::PriorityClient& client,
                        Console& console) {
  v1::MergeUsersRequest request;
  request.set_from_user(options.from);
  request.set_into_user(options.into);
  request.set_with_members(options.members);
  SetMergeOptions(options, request.mutable_options());
  const auto response = client.MergeUsers(std::move(request));
  if (absl::Status s = PrintMerge(response, options, console); !s.ok()) return s;
  return CheckMembers(*response, options);
}

absl::Status UnmergeUsers(const MergeOptions& options, const client::PriorityClient& client,
                          Console& console) {
  v1::UnmergeUsersRequest request;
  request.set_from_user(options.from);
  SetMergeOptions(options, request.mutable_options());
  return PrintMerge(client.UnmergeUsers(std::move(request)), options, console);
}

void AddMergeListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<MergeListOptions>(app, line, ListMerges);
  AddJson(app, options->json);
}

void AddMergeChange(CLI::App* app, MergeOptions& options) {
  app->add_option("--comment", options.comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options.validate_only);
  AddJson(app, options.json);
}

void AddMergeOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<MergeOptions>(app, line, MergeUsers);
  app->add_option("FROM", options->from, "The user that no longer counts as itself")
      ->type_name("")
      ->required();
  app->add_option("INTO", options->into, "The user that it counts as")->type_name("")->required();
  app->add_flag("--members", options->members,
                "In each member of the usage domain too, now and when one joins");
  AddMergeChange(app, *options);
}

void AddUnmergeOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<MergeOptions>(app, line, UnmergeUsers);
  app->add_option("FROM", options->from, "The merged user")->type_name("")->required();
  AddMergeChange(app, *options);
}

constexpr Command kUserCommands[] = {
    {"list", "Users that are merged into others", AddMergeListOptions},
    {"merge", "Count all usage of a user as another user's", AddMergeOptions},
    {"unmerge", "Count a merged user as itself again", AddUnmergeOptions},
};

void AddUserGroup(CLI::App* app, CommandLine& line) { AddCommands(kUserCommands, app, line); }

}  // namespace

const Command kUserCommand = {"user", "Merge two users of one person, or undo that", AddUserGroup};

}  // namespace priorityd::prioctl
