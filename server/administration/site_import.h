// Takes in a site's own files.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SITE_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SITE_IMPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/configured_cluster.h"
#include "server/administration/reconciliation.h"
#include "server/administration/site_files.h"
#include "storage/database.h"

namespace priorityd::administration {

struct SiteImport {
  std::string cluster;  // Empty = as the files say, else the only one there is.
  bool clean = false;   // Delete what the files do not name, within their kinds.
};

struct SiteImportResult {
  std::string cluster;
  bool cluster_created = false;
  Counts associations;
  Counts qos;
  Counts partitions;
  Counts opening_usage;
  int64_t policy_version = 0;  // 0 = there is none.
  bool policy_created = false;
  int64_t skipped_lines = 0;
  std::vector<std::string> warnings;  // The losses of the files first.
  int64_t losses = 0;                 // How many these are.
};

// In one transaction: the policy and partitions, QOS, associations, opening
// usage; all or nothing, and the same files again change nothing. Takes effect at
// the next recalculation.
//
// Errors of ReadSiteFiles and ImportOpeningUsage; INVALID_ARGUMENT when nothing
// tells the cluster; UNAVAILABLE, ABORTED the database.
absl::StatusOr<SiteImportResult> ImportSite(storage::Database& database, const SiteFiles& site,
                                            const SiteImport& import, const ChangeContext& context);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SITE_IMPORT_H_
