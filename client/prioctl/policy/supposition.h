// A user's suppositions about associations and time, as options of prioctl.
#ifndef PRIORITYD_CLIENT_PRIOCTL_POLICY_SUPPOSITION_H_
#define PRIORITYD_CLIENT_PRIOCTL_POLICY_SUPPOSITION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/simulation.pb.h"

namespace priorityd::prioctl {

// Of --shares: `physics:ann=12`, or `=parent`. Throws a CLI::ValidationError.
::priority::v1::SupposedShares ParseShares(const std::string& text);

// Of --usage: `physics:ann=3600`. Throws a CLI::ValidationError.
::priority::v1::SupposedUsage ParseUsage(const std::string& text);

// Of --grant: `q4 Accounts=chem Amount=100h`, a name and settings with quotes as in a shell. Throws
// a CLI::ValidationError.
::priority::v1::SupposedGrant ParseGrant(const std::string& text);

// A transfer as it was written.
struct TransferWords {
  std::string from;
  std::string to;
  std::string amount;
};

// Of --transfer: `chem-2026 phys-2026 200h`, or of money `200.50`. Throws a CLI::ValidationError.
TransferWords ParseTransfer(const std::string& text);

// `is_money`: the grants are of a price book. OptionError: an amount of hours then.
absl::StatusOr<::priority::v1::SupposedTransfer> ToMessage(const TransferWords& words,
                                                           bool is_money);

// `[d-]h[:m[:s]]` or `m`, as in slurm.conf; or with units: `36h`, `1h30m`. False for another text.
bool ParseLength(const std::string& text, absl::Duration* length);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_POLICY_SUPPOSITION_H_
