// Imports leases that have not ended.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_LEASE_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_LEASE_IMPORT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/imports/grant_import.h"
#include "server/administration/imports/own_objects.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Creates the leases of the file that the cluster does not have, in their order. Those that have
// ended, or whose objects do not exist, are left out, with a warning. Warns of settings that cannot
// be applied.
// INVALID_ARGUMENT (INVALID_FILE) with the lines of settings that cannot have an end;
// RESOURCE_EXHAUSTED (TOO_MANY_LEASES). REQUIRES: the cluster is locked by ClusterStore::Lock.
absl::Status ImportLeases(storage::Transaction& transaction, int32_t cluster_id,
                          const OwnObjects& objects, const OwnImport& how, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_LEASE_IMPORT_H_
