// Imports the association tree from `sacctmgr dump`.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_ASSOCIATION_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_ASSOCIATION_IMPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "server/administration/frame/reconciliation.h"
#include "server/administration/imports/import_audit.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

struct AssociationChanges {
  Counts counts;
  bool users_changed = false;  // A default account or an admin level.
};

// Imports every line of the dump as a complete association: a missing option has its default.
// Associations that the dump does not name stay, or are deleted with `clean`; root always stays.
// Records each changed association and user in `audit`; `warnings` gets those of default accounts
// whose users have no association there after the import. REQUIRES: the cluster has a root.
absl::StatusOr<AssociationChanges> ImportAssociations(storage::Transaction& transaction,
                                                      int32_t cluster_id,
                                                      const slurm::SacctmgrDump& dump, bool clean,
                                                      absl::Time now, ImportAudit* audit,
                                                      std::vector<std::string>* warnings);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_ASSOCIATION_IMPORT_H_
