#include <pwd.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/prioctl/commands.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/sprio.h"
#include "client/prioctl/sshare.h"

namespace priorityd::prioctl {
namespace {

// As sshare knows the caller: by the real user id.
std::string CallingUser() {
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_name : absl::StrCat(getuid());
}

}  // namespace

absl::Status Run(const SshareOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (options.help_format) {
    PrintShareFields(console.out);
    return absl::OkStatus();
  }
  const std::string user = CallingUser();
  const absl::StatusOr<priority::v1::ListSharesResponse> shares =
      client.ListAllShares(SharesRequest(options, user));
  if (!shares.ok()) return shares.status();
  if (options.json) {
    console.out << ToJson(*shares) << '\n';
    return absl::OkStatus();
  }
  return PrintShares(*shares, options, user, console.out);
}

absl::Status Run(const SprioOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<priority::v1::Policy> policy = client.GetPolicy({});
  if (!policy.ok()) return policy.status();
  PrintWeights(policy->parameters(), options.header, console.out);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
