// Exports and imports what Slurm's files have no place for.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OBJECTS_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OBJECTS_IMPORT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/imports/grant_import.h"
#include "server/administration/imports/own_objects.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// All price books; all grants, revoked ones too, with amounts and transfers; leases that have not
// ended at `time`; merges; aliases. Without a file name.
absl::StatusOr<OwnObjects> ReadStoredObjects(storage::Transaction& transaction, int32_t cluster_id,
                                             absl::Time time);

// The changes of an import by kind.
struct OwnChanges {
  ChangeList grants;  // And versions of price books.
  ChangeList transfers;
  ChangeList leases;
  ChangeList merges;
  ChangeList aliases;
};

// Makes the cluster have the objects; importing them again changes nothing. The errors of
// ImportGrants and ImportLeases, and those of MergeUsers and UpdateAliases, with the line.
// REQUIRES: the cluster is locked by ClusterStore::Lock; its tree is that of the import.
absl::Status ImportOwnObjects(storage::Transaction& transaction, const storage::Cluster& cluster,
                              const OwnObjects& objects, const OwnImport& how, OwnChanges* changes);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OBJECTS_IMPORT_H_
