// UndoImport: gives all that an import changed its former values.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_IMPORT_UNDO_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_IMPORT_UNDO_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "server/administration/frame/configured_cluster.h"
#include "storage/configuration/import_store.h"
#include "storage/database/database.h"

namespace priorityd::administration {

struct ImportUndone {
  int64_t import_id = 0;
  storage::ImportedCounts counts;
  int64_t policy_version = 0;  // The new one; 0 = the import made none.
};

// Undoes an import (0 = the newest that is not undone) in one transaction. The policy before it
// becomes a new version; a cluster without a policy before gets an empty one. Usage is summed up
// again where the rules of decay change. NOT_FOUND (UNKNOWN_CLUSTER, UNKNOWN_IMPORT);
// FAILED_PRECONDITION (IMPORT_UNDONE), (CHANGED_SINCE_IMPORT) with the objects; UNAVAILABLE,
// ABORTED: the database.
absl::StatusOr<ImportUndone> UndoImport(storage::Database& database, const std::string& cluster,
                                        int64_t import_id, const std::string& comment,
                                        const ChangeContext& context);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_IMPORT_UNDO_H_
