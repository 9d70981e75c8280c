// The checks of a changed grant against the cluster.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_CHECKS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/grants/settings.h"
#include "server/grants/grant_book.h"
#include "storage/database/transaction.h"
#include "storage/grants/grant_store.h"

namespace priorityd::administration {

// The last setting of each name.
using SettingPlaces = std::map<std::string, size_t>;

// The names that a grant can refer to.
struct GrantSite {
  absl::flat_hash_set<std::string> accounts;
  absl::flat_hash_set<std::pair<std::string, std::string>> users;  // By account; not merged.
  absl::flat_hash_set<std::string> qos;
  absl::flat_hash_set<std::string>
      tres;  // Slurm's own, of usage records, of partitions, of price books.
};
absl::StatusOr<GrantSite> ReadGrantSite(storage::Transaction& transaction, int32_t cluster_id);

// Each returns INVALID_ARGUMENT with the field `settings[0].value`, or `settings` for a setting
// that the request lacks.

// The accounts, the user in the account, and the QOS exist, as far as the grant did not have them
// before.
absl::Status CheckNames(const GrantSite& site, const storage::Grant& before,
                        const grants::Settings& settings, const SettingPlaces& places);
// A grant that has begun keeps what its closed windows depend on, but for its amount, which has
// versions, and Grace.
absl::Status CheckKept(const storage::Grant& before, const storage::Grant& after, absl::Time now,
                       const SettingPlaces& places);
// A rolling grant shares its accounts, user and TRES with no other one at one time.
absl::Status CheckAlone(const grants::GrantBook& book, const storage::Grant& row,
                        const SettingPlaces& places);

// A warning of TRES of a grant that the cluster does not have, which may be misspelt or come later;
// empty = it has all.
std::string UnknownTresWarning(const GrantSite& site, const std::string& tres);

// The other grant whose closed windows a new one changes, because it begins in the past beside it;
// empty = none.
std::string ChangedBy(const grants::GrantBook& book, const storage::Grant& row, absl::Time now);

// Whether a coordinator made the other grant, of the same owner and TRES, which is in force at a
// time of `row`. Beside a grant of an operator it ends at its begin: what was used of it would be
// missing in the windows of that grant.
bool IsLimitBeside(const grants::StoredGrant& other, const storage::Grant& row);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_CHECKS_H_
