#include "server/authorization/rights_table.h"

#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"

namespace priorityd::authorization {

absl::Status CheckRight(Rpc rpc, RoleSet roles, absl::string_view caller) {
  const Right& right = RightOf(rpc);
  if (roles.HasAnyOf(right.roles)) return absl::OkStatus();
  const absl::string_view method = right.method.substr(right.method.rfind('/') + 1);
  return errors::WithReason(absl::PermissionDeniedError(absl::StrCat(
                                method, ": got ", caller, " with the role ", roles.ToString(),
                                ", want one of ", right.roles.ToString())),
                            "ROLE_REQUIRED");
}

}  // namespace priorityd::authorization
