// Imports price books.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_PRICE_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_PRICE_IMPORT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/imports/grant_import.h"
#include "server/administration/imports/own_objects.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Makes the cluster have the versions of the file: one with the name and begin of a version of the
// cluster takes its place. All usage from the begin to the next version is priced by it, also that
// of the past, with a warning if the book existed. With how.clean the others are deleted.
// INVALID_ARGUMENT (INVALID_FILE) with the line where versions of a book have several currencies;
// FAILED_PRECONDITION (TOO_MANY_PRICES). REQUIRES: the cluster is locked by ClusterStore::Lock.
absl::Status ImportPrices(storage::Transaction& transaction, int32_t cluster_id,
                          const OwnObjects& objects, const OwnImport& how, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_PRICE_IMPORT_H_
