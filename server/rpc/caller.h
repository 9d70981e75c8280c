// Who calls, as the adapters take it.
#ifndef PRIORITYD_SERVER_RPC_CALLER_H_
#define PRIORITYD_SERVER_RPC_CALLER_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "server/authorization/role.h"
#include "server/identity/principal.h"

namespace priorityd::rpc {

// Has passed the boundary: may make the call.
struct Caller {
  identity::Principal principal;
  // In the cluster of the request.
  authorization::RoleSet roles;
  std::string peer;  // As gRPC names it: `ipv4:127.0.0.1:54321`.

  // `amy (MUNGE, uid 1000; ipv4:127.0.0.1:54321)`: for the audit.
  std::string ToString() const {
    return absl::StrCat(principal.is_user() ? principal.name : principal.qualified(), " (",
                        principal.proof, "; ", peer, ")");
  }

  // Whether she tells of all users' jobs, and sets what operators set.
  bool speaks_for_all() const {
    using authorization::Role;
    return roles.HasAnyOf({Role::kOperator, Role::kAdministrator, Role::kFrontend});
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CALLER_H_
