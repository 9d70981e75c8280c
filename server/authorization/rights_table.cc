#include "server/authorization/rights_table.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::authorization {
namespace {

// First words of the names of RPCs that change nothing.
constexpr absl::string_view kReads[] = {"Estimate", "Explain",  "Export",  "Forecast", "Get",
                                        "Lint",     "List",     "Plan",    "Rank",     "Report",
                                        "Score",    "Simulate", "Suggest", "Watch"};

absl::Status RoleRequired(absl::string_view what, RoleSet roles, absl::string_view caller,
                          RoleSet wanted) {
  const std::string names = wanted.ToString();
  const char* want = absl::StrContains(names, ',') ? ", want one of " : ", want ";
  return errors::WithReason(
      absl::PermissionDeniedError(
          absl::StrCat(what, ": got ", caller, " with the role ", roles.ToString(), want, names)),
      "ROLE_REQUIRED");
}

}  // namespace

absl::string_view NameOf(Rpc rpc) {
  const absl::string_view method = RightOf(rpc).method;
  return method.substr(method.rfind('/') + 1);
}

bool OnlyReads(absl::string_view name) {
  return std::any_of(std::begin(kReads), std::end(kReads),
                     [&](absl::string_view read) { return absl::StartsWith(name, read); });
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
