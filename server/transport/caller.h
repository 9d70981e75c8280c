// The caller, as the adapters use it.
#ifndef PRIORITYD_SERVER_TRANSPORT_CALLER_H_
#define PRIORITYD_SERVER_TRANSPORT_CALLER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/authorization/role.h"
#include "server/authorization/visibility.h"
#include "server/identity/principal.h"
#include "server/quotas/quota.h"

namespace priorityd::rpc {

// Authorized by the boundary for the call.
struct Caller {
  identity::Principal principal;
  // In the cluster of the request.
  authorization::RoleSet roles;
  std::string peer;  // In gRPC's form: `ipv4:127.0.0.1:54321`.
  // Null = everything.
  std::shared_ptr<const authorization::Visibility> visibility;
  // The user named in on_behalf_of; empty = the caller acts for itself, or for the users of its
  // jobs.
  std::string on_behalf_of;
  // Accounts in the association data that the caller, or that user, coordinates.
  std::vector<std::string> coordinated;
  // The ones among `roles` that are restricted to some sources in the cluster.
  std::vector<identity::BoundRoles> by_source = {};

  // The rows of the answer that the caller sees.
  const authorization::Visibility& sees() const {
    static const auto* const kEverything = new authorization::Visibility();
    return visibility == nullptr ? *kEverything : *visibility;
  }
  // The user of the association data whose jobs are the caller's; empty = none.
  std::string user() const {
    if (!on_behalf_of.empty()) return on_behalf_of;
    return principal.is_user() ? principal.name : "";
  }

  // `amy (MUNGE, uid 1000; ipv4:127.0.0.1:54321)`: for the audit.
  std::string ToString() const {
    return absl::StrCat(principal.is_user() ? principal.name : principal.qualified(), " (",
                        principal.proof, "; ", peer, ")",
                        on_behalf_of.empty() ? "" : " on behalf of ", on_behalf_of);
  }

  // The caller's name for quotas, for holdings in a cluster; empty = in no cluster.
  quotas::Holder holder(const std::string& cluster = "") const {
    using authorization::Role;
    const bool is_service = roles.HasAnyOf({Role::kOperator, Role::kAdministrator, Role::kCollector,
                                            Role::kFrontend, Role::kDashboard, Role::kProvisioner});
    const bool is_for_another = !on_behalf_of.empty();
    return {is_for_another ? absl::StrCat(identity::kUserKind, ":", on_behalf_of)
                           : principal.qualified(),
            cluster, is_service};
  }

  // Whether the caller sends all users' jobs and sets what operators set.
  static constexpr authorization::RoleSet kSpeakForAll = {authorization::Role::kOperator,
                                                          authorization::Role::kAdministrator,
                                                          authorization::Role::kFrontend};
  bool speaks_for_all() const { return roles.HasAnyOf(kSpeakForAll); }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_CALLER_H_
