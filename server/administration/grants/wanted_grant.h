// The grant that settings ask for, checked against the cluster; writes nothing.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_GRANTS_WANTED_GRANT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_GRANTS_WANTED_GRANT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/settings.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/grants/grant_checks.h"
#include "server/administration/settings/setting.h"
#include "server/grants/grant_book.h"
#include "storage/grants/grant_store.h"

namespace priorityd::administration {

// A change of a grant.
struct GrantWish {
  const std::vector<Setting>& settings;
  absl::Time now;  // By the cluster's clock.
  absl::TimeZone zone;
  absl::string_view field;  // Names the grant in errors.
};

struct WantedGrant {
  storage::Grant row;  // With the id and the name of the present one.
  grants::Settings settings;
  bool new_amount = false;  // Its amount is a new version, in effect from the time below.
  absl::Time effective;
};

// `stored`: one of the book; without an id = it does not exist yet. INVALID_ARGUMENT with the
// fields `settings[0].name`, `.operator` and `.value`. FAILED_PRECONDITION (GRANT_NOT_IN_FORCE).
absl::StatusOr<WantedGrant> WantGrant(const GrantWish& wish, const GrantSite& site,
                                      const grants::GrantBook& book,
                                      const grants::StoredGrant& stored);

// The settings of a grant; the amount is that of its last version.
grants::Settings GrantSettingsOf(const grants::StoredGrant& stored);

// The row of a grant with the id, the name and the kind of author of the present one; it is not
// revoked.
storage::Grant GrantRowOf(const grants::Settings& settings, const storage::Grant& present);

// FAILED_PRECONDITION with the reason.
absl::Status RefuseGrant(absl::string_view reason, absl::string_view message);
// GRANT_NOT_IN_FORCE: `WHAT, want a grant in force`.
absl::Status NotInForce(absl::string_view what);

// Null = none.
grants::StoredGrant* FindGrant(grants::GrantBook* book, const std::string& name);
// NOT_FOUND (UNKNOWN_GRANT); FAILED_PRECONDITION (GRANT_REVOKED). `field` names it in errors.
absl::StatusOr<grants::StoredGrant*> RequireGrant(grants::GrantBook* book, const std::string& field,
                                                  const std::string& name);
// The grant; one that does not exist is added without a row in the database. INVALID_ARGUMENT: not
// a name. FAILED_PRECONDITION (GRANT_REVOKED).
absl::StatusOr<grants::StoredGrant*> FindOrAddGrant(grants::GrantBook* book,
                                                    const std::string& field,
                                                    const std::string& name);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_GRANTS_WANTED_GRANT_H_
