// Opening usage: what a site's associations had used before it moved in.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_OPENING_USAGE_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_OPENING_USAGE_IMPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/import_audit.h"
#include "server/administration/reconciliation.h"
#include "server/slurm/opening_usage.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// One file of it.
struct OpeningUsageFile {
  std::string name;
  bool names_partitions = true;  // False for sshare without a Partition column.
  std::vector<slurm::OpeningUsage> usage;
};

// Each entry replaces the opening usage of its association: a lump that counts
// in full at `as_of`. Where every entry is what is stored already nothing
// changes, `as_of` neither. With `clean` the others end. `audit` is told of each that changes.
//
// INVALID_ARGUMENT names file and line: an association that does not exist, one
// twice, a file that cannot tell partition associations apart.
absl::StatusOr<Counts> ImportOpeningUsage(storage::Transaction& transaction, int32_t cluster_id,
                                          const std::vector<OpeningUsageFile>& files, bool clean,
                                          absl::Time as_of, ImportAudit* audit);

// A warning where all of it is more than the cluster can have left after decay, had it run at
// `billing` per second for ever. Empty where it is not, where usage does not decay, and where
// billing is 0 (not known).
std::string FindOpeningExcess(const std::vector<OpeningUsageFile>& files, double billing,
                              absl::Duration half_life);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_OPENING_USAGE_IMPORT_H_
