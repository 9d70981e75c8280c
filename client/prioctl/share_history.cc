#include "client/prioctl/share_history.h"

#include <string>
#include <utility>

#include "client/prioctl/json_lines.h"
#include "client/prioctl/table.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

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

}  // namespace

absl::Status Run(const ShareHistoryOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<ListShareHistoryResponse> history =
      client.ListWholeShareHistory(MakeRequest(options));
  if (!history.ok()) return history.status();
  if (options.json) return PrintJson(*history, console.out);
  Table table({{"TIME"}, {"ACCOUNT"}, {"USER"}, {"RAWUSAGE", true}, {"FAIRSHARE", true}});
  for (const ::priority::v1::ShareSample& sample : history->samples()) {
    table.AddRow({TimeText(sample.sampled_at()), sample.account(), sample.user(),
                  NumberText(sample.raw_usage()),
                  sample.has_fair_share() ? NumberText(sample.fair_share()) : ""});
  }
  table.Print(console.out);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
