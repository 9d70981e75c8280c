// Reads the output of `sshare -a -l -P` (also of -p): opening usage.
#ifndef PRIORITYD_ENGINE_SLURM_TABLES_SSHARE_TABLE_H_
#define PRIORITYD_ENGINE_SLURM_TABLES_SSHARE_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/slurm/tables/opening_usage.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// The usage of a table of sshare.
struct SshareTable {
  // From the Cluster column or a `CLUSTER: name` line; empty = unknown.
  std::string cluster;
  // Whether the table has a Partition column. Without it, users with partition-specific
  // associations have several rows with equal names.
  bool has_partition_column = false;
  // One per row, in order. The usage of an account is its own: its RawUsage minus that of the rows
  // directly below it, as shown by the indentation. RawUsage is truncated to whole numbers, so that
  // the own usage of an account can be too large by up to one per child; down to minus one per
  // child (or -1e-9 of it) counts as 0.
  std::vector<OpeningUsage> usage;
};

// Columns may be in any order: Account, User and RawUsage are required, Cluster and Partition
// optional, others skipped. INVALID_ARGUMENT has a list of violations (see file_violations.h): a
// missing required column, a row with more or fewer cells, an invalid number, an indentation
// without a parent, several clusters, an account with less usage than the rows below it.
absl::StatusOr<SshareTable> ParseSshareTable(const SourceFile& file);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_TABLES_SSHARE_TABLE_H_
