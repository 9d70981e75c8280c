#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/commands.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl share-history`
struct ShareHistoryOptions {
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  bool subtree = false;
  AsOf start;  // unset = all that is kept
  AsOf end;
  bool json = false;
};

using ::priority::v1::ListShareHistoryRequest;
using ::priority::v1::ListShareHistoryResponse;

ListShareHistoryRequest MakeRequest(const ShareHistoryOptions& options) {
  ListShareHistoryRequest request;
  for (const std::string& account : options.accounts) request.add_accounts(account);
  for (const std::string& user : options.users) request.add_users(user);
  request.set_subtree(options.subtree);
  if (options.start.has_value()) *request.mutable_start_time() = ToTimestamp(*options.start);
  if (options.end.has_value()) *request.mutable_end_time() = ToTimestamp(*options.end);
  return request;
}

absl::Status Run(const ShareHistoryOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::Status checked = CheckPeriod("--start", options.start, "--end", options.end);
  if (!checked.ok()) return checked;
  const absl::StatusOr<ListShareHistoryResponse> history =
      client.ListWholeShareHistory(MakeRequest(options));
  if (!history.ok()) return history.status();
  if (options.json) return PrintJson(*history, console.out);
  Table table({{"TIME"}, {"ACCOUNT"}, {"USER"}, {"RAWUSAGE", true}, {"FAIRSHARE", true}});
  for (const ::priority::v1::ShareSample& sample : history->samples()) {
    table.AddRow({TimeText(sample.sampled_at(), sample.has_sampled_at()), sample.account(),
                  sample.user(), NumberText(sample.raw_usage()),
                  sample.has_fair_share() ? NumberText(sample.fair_share()) : ""});
  }
  table.Print(console.out);
  if (table.empty()) console.out << "no samples\n";
  return absl::OkStatus();
}

void AddShareHistoryOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ShareHistoryOptions>(app, line, Run);
  AddList(app, "-A,--accounts", options->accounts, "Only these accounts");
  AddList(app, "-u,--users", options->users, "Only these users, and the accounts above them");
  app->add_flag("--subtree", options->subtree, "With the accounts all below them");
  AddTime(app, "--start", options->start, "From this time on; default the oldest kept");
  AddTime(app, "--end", options->end, "Before this time; default up to the newest");
  AddJson(app, options->json);
}

}  // namespace

const Command kShareHistoryCommand = {"share-history", "Fair-share and usage over time",
                                      AddShareHistoryOptions};

}  // namespace priorityd::prioctl
