// A cluster's configuration as the files that Import takes.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_EXPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/site_files.h"
#include "server/slurm/sacctmgr_dump.h"
#include "storage/association_store.h"
#include "storage/cluster_user_store.h"
#include "storage/database.h"

namespace priorityd::administration {

// The tree as `sacctmgr dump` tells it. The lines stand in the order of the ids, as far as parents
// come before their children, so that siblings keep their order.
slurm::SacctmgrDump ToDump(const std::string& cluster, std::vector<storage::Association> rows,
                           const std::vector<storage::ClusterUser>& users);

struct ExportedSite {
  std::vector<SiteFile> files;  // slurm.conf with its Includes where there is a policy.
  std::string etag;
};

// The dump, the QOS and slurm.conf: imported into an empty cluster they make the same again, but
// for partitions and totals that were changed by other ways than slurm.conf. NOT_FOUND
// (UNKNOWN_CLUSTER); UNAVAILABLE the database.
absl::StatusOr<ExportedSite> ExportSite(storage::Database& database, const std::string& cluster);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_EXPORT_H_
