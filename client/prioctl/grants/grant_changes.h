// The changes of `prioctl grant`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_GRANTS_GRANT_CHANGES_H_
#define PRIORITYD_CLIENT_PRIOCTL_GRANTS_GRANT_CHANGES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// The options of every change.
struct GrantChangeOptions {
  std::string comment;
  bool validate_only = false;
  bool json = false;
};

// `prioctl grant create|update NAME Key=Value...`
struct GrantSettingsOptions {
  std::string name;
  std::vector<std::string> settings;
  GrantChangeOptions change;
};

// `prioctl grant transfer FROM TO --amount N`
struct GrantTransferOptions {
  std::string from;
  std::string to;
  std::string amount;  // In the words of the setting Amount.
  GrantChangeOptions change;
};

// `prioctl grant revoke NAME`
struct GrantRevokeOptions {
  std::string name;
  bool yes = false;  // Without a question.
  GrantChangeOptions change;
};

// Each makes its change and prints what came of it. ALREADY_EXISTS: the grant to create exists.
absl::Status CreateGrant(const GrantSettingsOptions& options, const client::PriorityClient& client,
                         Console& console);
absl::Status UpdateGrant(const GrantSettingsOptions& options, const client::PriorityClient& client,
                         Console& console);
absl::Status TransferGrant(const GrantTransferOptions& options,
                           const client::PriorityClient& client, Console& console);
// Asks first.
absl::Status RevokeGrant(const GrantRevokeOptions& options, const client::PriorityClient& client,
                         Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_GRANTS_GRANT_CHANGES_H_
