// Imports a site's files.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_SITE_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_SITE_IMPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/frame/configured_cluster.h"
#include "server/administration/frame/reconciliation.h"
#include "server/administration/imports/site_files.h"
#include "storage/database/database.h"

namespace priorityd::administration {

struct SiteImport {
  std::string cluster;  // Empty = the cluster named in the files, or the only one.
  bool clean = false;   // Delete objects of the files' kinds that the files do not name.
};

struct SiteImportResult {
  std::string cluster;
  bool cluster_created = false;
  Counts associations;
  Counts qos;
  Counts partitions;
  Counts opening_usage;
  Counts grants;
  Counts grant_transfers;
  Counts leases;
  Counts user_merges;
  Counts user_aliases;
  int64_t policy_version = 0;  // 0 = none.
  bool policy_created = false;
  int64_t skipped_lines = 0;
  std::vector<std::string> warnings;  // Losses of the files first.
  int64_t losses = 0;                 // The number of these.
  std::vector<slurm::UnusedSetting> unused;
  int64_t import_id = 0;  // For UndoImport; 0 = nothing to undo.
};

// Imports the policy and partitions, QOS, associations, opening usage, and grants, leases, merged
// users and aliases in one transaction, all or nothing; importing the same files again changes
// nothing. Takes effect at the next recalculation. Errors of ReadSiteFiles, ImportOpeningUsage and
// ImportOwnObjects; INVALID_ARGUMENT if the cluster cannot be determined; UNAVAILABLE, ABORTED: the
// database.
absl::StatusOr<SiteImportResult> ImportSite(storage::Database& database, const SiteFiles& site,
                                            const SiteImport& import, const ChangeContext& context);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_SITE_IMPORT_H_
