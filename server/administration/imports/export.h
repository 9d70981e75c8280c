// Exports a cluster's configuration as files for Import.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_EXPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "server/administration/imports/site_files.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/database/database.h"

namespace priorityd::administration {

// The tree in the format of `sacctmgr dump`. Lines are in order of id, except that parents precede
// their children, so that siblings keep their order.
slurm::SacctmgrDump ToDump(const std::string& cluster, std::vector<storage::Association> rows,
                           const std::vector<storage::ClusterUser>& users);

struct ExportedSite {
  std::vector<SiteFile> files;  // In the order in which to import them.
  std::string etag;
};

// Slurm.conf and its Includes if there is a policy, the QOS, the dump, and grants, leases, merged
// users and aliases if there are any.
// Importing them into an empty cluster reproduces the configuration, except reservations,
// partitions and totals that were not set by slurm.conf, and leases that have ended. `now`: by the
// real clock. NOT_FOUND (UNKNOWN_CLUSTER); UNAVAILABLE: the database.
absl::StatusOr<ExportedSite> ExportSite(storage::Database& database, const std::string& cluster,
                                        absl::Time now);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_EXPORT_H_
