// Reads the output of `sshare -a -l -P` (also of -p): opening usage.
#ifndef PRIORITYD_SERVER_SLURM_SSHARE_TABLE_H_
#define PRIORITYD_SERVER_SLURM_SSHARE_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/slurm/file_violations.h"
#include "server/slurm/opening_usage.h"

namespace priorityd::slurm {

// The usage in a table of sshare.
struct SshareTable {
  // From the Cluster column or a `CLUSTER: name` line; empty = not told.
  std::string cluster;
  // Without it, users with partition associations have several rows of equal names.
  bool has_partition_column = false;
  // One per row, in their order. An account's is its own: its RawUsage less that of
  // the rows directly below it, which the indentation tells. RawUsage is cut to
  // whole numbers, so an account's own is up to one per child too large; up to one
  // per child below zero (or 1e-9 of it) is taken as 0.
  std::vector<OpeningUsage> usage;
};

// Columns in any order: Account, User and RawUsage are required; Cluster and
// Partition are read, all others skipped. INVALID_ARGUMENT carries a list of errors
// (see file_violations.h): a required column missing, a row with more or fewer cells, an
// impossible number, an indentation without a parent, several clusters, an account
// with less usage than the rows below it.
absl::StatusOr<SshareTable> ParseSshareTable(const SourceFile& file);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_SSHARE_TABLE_H_
