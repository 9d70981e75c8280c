// The association tree with sshare's columns and options.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SSHARE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SSHARE_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/prioctl/text/slurm_table.h"
#include "priority/v1/share.pb.h"

namespace priorityd::prioctl {

// `prioctl sshare`, by Slurm's options.
struct SshareOptions {
  bool all = false;                   // -a
  bool long_listing = false;          // -l
  bool partitions = false;            // -m
  bool users_only = false;            // -U
  std::vector<std::string> accounts;  // -A
  std::vector<std::string> users;     // -u
  std::string format;                 // -o
  bool help_format = false;           // -e
  bool header = true;                 // not -n
  SlurmLayout layout = SlurmLayout::kFixedWidth;
  bool full_precision = false;
  bool json = false;
};

// The request to the service. Without -a and -u only the associations of
// `calling_user`.
::priority::v1::ListSharesRequest SharesRequest(const SshareOptions& options,
                                                const std::string& calling_user);

// Prints the rows as sshare does. Accounts are indented by one space below
// every account above them that is printed. INVALID_ARGUMENT if --format
// names an unknown field.
absl::Status PrintShares(const ::priority::v1::ListSharesResponse& shares,
                         const SshareOptions& options, const std::string& calling_user,
                         std::ostream& out);

// OK, or INVALID_ARGUMENT: --format. Says so before anything is asked.
absl::Status CheckFormat(const SshareOptions& options);

// The names that --format takes, as sshare -e prints them.
void PrintShareFields(std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SSHARE_H_
