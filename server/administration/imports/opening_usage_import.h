// Imports opening usage: usage of a site's associations before the move to priorityd.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OPENING_USAGE_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OPENING_USAGE_IMPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/slurm/tables/opening_usage.h"
#include "server/administration/frame/reconciliation.h"
#include "server/administration/imports/import_audit.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// One file of opening usage.
struct OpeningUsageFile {
  std::string name;
  bool names_partitions = true;  // False for sshare without a Partition column.
  std::vector<slurm::OpeningUsage> usage;
};

// Each entry replaces the opening usage of its association, an amount that counts in full at
// `as_of`. If every entry equals the stored one, nothing changes, including `as_of`. With `clean`,
// all other opening usage is removed. Records each change in `audit`. INVALID_ARGUMENT names file
// and line: for an association that does not exist or is named twice, and a file without the column
// that distinguishes partition associations.
absl::StatusOr<Counts> ImportOpeningUsage(storage::Transaction& transaction, int32_t cluster_id,
                                          const std::vector<OpeningUsageFile>& files, bool clean,
                                          absl::Time as_of, ImportAudit* audit);

// A warning if the sum exceeds what decay would leave of a cluster that always ran at `billing` per
// second. Empty otherwise, if usage does not decay, and if billing is 0 (unknown).
std::string FindOpeningExcess(const std::vector<OpeningUsageFile>& files, double billing,
                              absl::Duration half_life);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OPENING_USAGE_IMPORT_H_
