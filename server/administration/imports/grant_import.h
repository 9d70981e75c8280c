// Imports grants with their amounts and transfers.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_GRANT_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_GRANT_IMPORT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/imports/own_objects.h"
#include "server/grants/grant_book.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The settings for importing the objects of a file.
struct OwnImport {
  bool clean = false;  // Revoke, end or remove those that the file does not have, if it has any.
  absl::Time time;     // By the cluster's clock; InfinitePast() = it was never set.
  absl::Time now;      // By the real clock.
  std::string principal;
  absl::TimeZone zone;  // The policy's.

  // The end time of objects that end now.
  absl::Time end() const { return time == absl::InfinitePast() ? now : time; }
};

// Creates the grants of the file that do not exist. One that exists must be the same, or such that
// UpdateGrants could have made it of that of the cluster: End, Grace and Consequence may differ,
// and amounts may follow those of the cluster. Adds the transfers that the cluster does not have.
// Warns of names that do not exist, and as WarningsOfTransfers. INVALID_ARGUMENT (INVALID_FILE)
// with the lines; FAILED_PRECONDITION (TOO_MANY_GRANTS, and OLD_REPLICA as CheckLimitsKnown).
// REQUIRES: the cluster is locked by ClusterStore::Lock.
absl::Status ImportGrants(storage::Transaction& transaction, int32_t cluster_id,
                          const OwnObjects& objects, const OwnImport& how, ChangeList* grants,
                          ChangeList* transfers);

// FAILED_PRECONDITION (GRANTS_OVERLAP) if a rolling grant and another one of its owner and TRES are
// in force at one time, or one of a coordinator and one of an operator, and one of the two was not
// `before`; TOO_MANY_GRANTS.
absl::Status CheckGrantBook(const grants::GrantBook& before, const grants::GrantBook& after);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_GRANT_IMPORT_H_
