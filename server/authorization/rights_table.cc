#include "server/authorization/rights_table.h"

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::authorization {
namespace {

absl::Status RoleRequired(absl::string_view what, RoleSet roles, absl::string_view caller,
                          RoleSet wanted) {
  return errors::WithReason(absl::PermissionDeniedError(absl::StrCat(
                                what, ": got ", caller, " with the role ", roles.ToString(),
                                ", want one of ", wanted.ToString())),
                            "ROLE_REQUIRED");
}

}  // namespace

absl::string_view NameOf(Rpc rpc) {
  const absl::string_view method = RightOf(rpc).method;
  return method.substr(method.rfind('/') + 1);
}

absl::Status CheckRight(Rpc rpc, RoleSet roles, absl::string_view caller) {
  const Right& right = RightOf(rpc);
  if (roles.HasAnyOf(right.roles)) return absl::OkStatus();
  return RoleRequired(NameOf(rpc), roles, caller, right.roles);
}

absl::Status SeeAllRequired(absl::string_view what, RoleSet roles, absl::string_view caller) {
  return RoleRequired(what, roles, caller, kSeeAll);
}

}  // namespace priorityd::authorization
