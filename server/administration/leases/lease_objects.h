// The texts by which a list of leases selects objects.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_OBJECTS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/leases/lease_fold.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The object with this TextOf; nullopt if the text is of none.
std::optional<ObjectKey> ObjectOfText(const std::string& text);

// INVALID_ARGUMENT (INVALID_FIELD) with the field `objects[0]` of a text that is of no object.
absl::Status CheckObjectTexts(const std::vector<std::string>& objects);

// NOT_FOUND (UNKNOWN_OBJECT) names an object that does not exist and has no leases.
// REQUIRES: CheckObjectTexts.
absl::Status CheckObjectsExist(storage::Transaction& transaction, int32_t cluster_id,
                               const std::vector<std::string>& objects);

// Whether the object of the lease is among the rows, which were read for it.
bool HasObject(const LeasedRows& rows, const storage::Lease& lease);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_OBJECTS_H_
