#include "server/configuration/association_roles.h"

#include "storage/configuration/cluster_user_store.h"

namespace priorityd::configuration {
namespace {

AssociationRights RightsOf(storage::PrivilegedUser& user) {
  AssociationRights rights;
  if (const auto role = authorization::RoleOfAdminLevel(user.admin_level)) rights.roles.Add(*role);
  rights.coordinated = std::move(user.coordinated);
  if (!rights.coordinated.empty()) rights.roles.Add(authorization::Role::kCoordinator);
  return rights;
}

}  // namespace

absl::Status AssociationRoles::Read() {
  absl::MutexLock reading(&reading_);
  auto users = database_->Read([](storage::Transaction& transaction) {
    return storage::ClusterUserStore(transaction).ListPrivileged();
  });
  if (!users.ok()) return users.status();
  auto rights = std::make_shared<Rights>();
  for (storage::PrivilegedUser& user : *users) {
    (*rights)[user.name][user.cluster_name] = RightsOf(user);
  }
  absl::MutexLock lock(&mutex_);
  rights_ = std::move(rights);
  return absl::OkStatus();
}

std::shared_ptr<const AssociationRoles::Rights> AssociationRoles::rights() const {
  absl::MutexLock lock(&mutex_);
  return rights_;
}

AssociationRights AssociationRoles::Find(const std::string& cluster,
                                         const std::string& user) const {
  const auto rights = this->rights();
  const auto clusters = rights->find(user);
  if (clusters == rights->end()) return {};
  const auto found = clusters->second.find(cluster);
  return found == clusters->second.end() ? AssociationRights() : found->second;
}

authorization::RoleSet AssociationRoles::FindInAny(const std::string& user) const {
  const auto rights = this->rights();
  authorization::RoleSet roles;
  const auto clusters = rights->find(user);
  if (clusters == rights->end()) return roles;
  for (const auto& [cluster, given] : clusters->second) roles.Add(given.roles);
  return roles;
}

}  // namespace priorityd::configuration
