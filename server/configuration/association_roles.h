// Who has which role by the association data: AdminLevel and Coordinator.
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
#include "storage/database.h"

namespace priorityd::configuration {

// What a user may in one cluster beyond what every user may.
struct AssociationRights {
  authorization::RoleSet roles;
  std::vector<std::string> coordinated;  // Accounts; with those below them.
};

// The rights of all clusters as of the last Read, not as of a recalculation: what is taken from
// somebody is gone at once. Looking one up asks nobody. Thread-safe.
class AssociationRoles {
 public:
  // `database` must outlive this.
  explicit AssociationRoles(storage::Database* database) : database_(database) {}

  // Takes what the database has now. While it does not answer the rights stay as they are.
  absl::Status Read() ABSL_LOCKS_EXCLUDED(mutex_);

  // None of a user who is not there.
  AssociationRights Find(const std::string& cluster, const std::string& user) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The roles of a user in any cluster.
  authorization::RoleSet FindInAny(const std::string& user) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // By cluster, within a user.
  using Rights =
      absl::flat_hash_map<std::string, absl::flat_hash_map<std::string, AssociationRights>>;

  std::shared_ptr<const Rights> rights() const ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Rights> rights_ ABSL_GUARDED_BY(mutex_) = std::make_shared<const Rights>();
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_ASSOCIATION_ROLES_H_
