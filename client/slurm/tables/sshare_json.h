// Converts the output of `sshare -a --json` of Slurm 24.05 to 25.11 to the table of `sshare -P`.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_SSHARE_JSON_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_SSHARE_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::tables {

// Columns Account, with blanks for the depth in the tree, User, Partition, RawUsage and Cluster, a
// row for each of the list `shares.shares`, in its order. INVALID_ARGUMENT names the faulty row by
// `name` and its index: `sshare.json shares[3]`.
absl::StatusOr<std::string> SshareTableOfJson(const std::string& name, absl::string_view content);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_SSHARE_JSON_H_
