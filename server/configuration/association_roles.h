// Roles of users in the association data: AdminLevel and Coordinator.
#ifndef PRIORITYD_SERVER_CONFIGURATION_ASSOCIATION_ROLES_H_
#define PRIORITYD_SERVER_CONFIGURATION_ASSOCIATION_ROLES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/authorization/role.h"
#include "storage/database/database.h"

namespace priorityd::configuration {

// A user's additional rights in one cluster.
struct AssociationRights {
  authorization::RoleSet roles;
  std::vector<std::string> coordinated;  // Accounts, including those below them.
};

// The rights in all clusters as of the last Read, not of a recalculation, so that revoking a right
// takes effect quickly. Look-ups do not block. Thread-safe.
class AssociationRoles {
 public:
  // `database` must outlive this.
  explicit AssociationRoles(storage::Database* database) : database_(database) {}

  // Reads the database. While it does not answer, the rights stay unchanged.
  absl::Status Read() ABSL_LOCKS_EXCLUDED(reading_, mutex_);

  // Empty for an unknown user.
  AssociationRights Find(const std::string& cluster, const std::string& user) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The roles of a user in any cluster.
  authorization::RoleSet FindInAny(const std::string& user) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // By user, then by cluster.
  using Rights =
      absl::flat_hash_map<std::string, absl::flat_hash_map<std::string, AssociationRights>>;

  std::shared_ptr<const Rights> rights() const ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  absl::Mutex reading_;  // An earlier Read does not overwrite a later one.
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Rights> rights_ ABSL_GUARDED_BY(mutex_) = std::make_shared<const Rights>();
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_ASSOCIATION_ROLES_H_
