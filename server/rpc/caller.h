// Who calls, as the adapters take it.
#ifndef PRIORITYD_SERVER_RPC_CALLER_H_
#define PRIORITYD_SERVER_RPC_CALLER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/authorization/role.h"
#include "server/authorization/visibility.h"
#include "server/identity/principal.h"
#include "server/quotas/quota.h"

namespace priorityd::rpc {

// Has passed the boundary: may make the call.
struct Caller {
  identity::Principal principal;
  // In the cluster of the request.
  authorization::RoleSet roles;
  std::string peer;  // As gRPC names it: `ipv4:127.0.0.1:54321`.
  // Null = everything there.
  std::shared_ptr<const authorization::Visibility> visibility;
  // Whom she speaks for, where she says so; empty = herself, or whoever's jobs she tells of.
  std::string on_behalf_of;
  // Accounts of the association data that she, or whom she speaks for, coordinates.
  std::vector<std::string> coordinated;
  // Those of `roles` that hold in the cluster under some sources only.
  std::vector<identity::BoundRoles> by_source = {};

  // Whose rows of the answer she is told.
  const authorization::Visibility& sees() const {
    static const auto* const kEverything = new authorization::Visibility();
    return visibility == nullptr ? *kEverything : *visibility;
  }
  // The user of the association data whose jobs are hers; empty = none.
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

  // What the quotas know the caller as, with what they hold in a cluster; empty = of no cluster.
  quotas::Holder holder(const std::string& cluster = "") const {
    using authorization::Role;
    const bool is_service = roles.HasAnyOf({Role::kOperator, Role::kAdministrator, Role::kCollector,
                                            Role::kFrontend, Role::kDashboard, Role::kProvisioner});
    const bool is_for_another = !on_behalf_of.empty();
    return {is_for_another ? absl::StrCat(identity::kUserKind, ":", on_behalf_of)
                           : principal.qualified(),
            cluster, is_service};
  }

  // Who sends all users' jobs, and sets what operators set.
  static constexpr authorization::RoleSet kSpeakForAll = {authorization::Role::kOperator,
                                                          authorization::Role::kAdministrator,
                                                          authorization::Role::kFrontend};
  bool speaks_for_all() const { return roles.HasAnyOf(kSpeakForAll); }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CALLER_H_
