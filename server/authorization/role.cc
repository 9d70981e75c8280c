#include "server/authorization/role.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::authorization {

absl::string_view NameOf(Role role) {
  switch (role) {
    case Role::kUser:
      return "user";
    case Role::kCoordinator:
      return "coordinator";
    case Role::kOperator:
      return "operator";
    case Role::kAdministrator:
      return "administrator";
    case Role::kCollector:
      return "collector";
    case Role::kFrontend:
      return "frontend";
    case Role::kDashboard:
      return "dashboard";
    case Role::kProvisioner:
      return "provisioner";
  }
  return "";
}

std::optional<Role> RoleNamed(absl::string_view name) {
  const auto found = std::find_if(kRoles.begin(), kRoles.end(), [name](Role role) {
    return absl::EqualsIgnoreCase(NameOf(role), name);
  });
  if (found == kRoles.end()) return std::nullopt;
  return *found;
}

std::optional<Role> RoleOfAdminLevel(absl::string_view admin_level) {
  static constexpr std::pair<absl::string_view, Role> kLevels[] = {
      {"Operator", Role::kOperator},
      {"Administrator", Role::kAdministrator},
      {"Admin", Role::kAdministrator},
      {"SuperUser", Role::kAdministrator}};
  for (const auto& [word, role] : kLevels) {
    if (absl::EqualsIgnoreCase(word, admin_level)) return role;
  }
  return std::nullopt;
}

std::string RoleSet::ToString() const {
  std::string text;
  for (const Role role : kRoles) {
    if (Has(role)) absl::StrAppend(&text, text.empty() ? "" : ", ", NameOf(role));
  }
  return text.empty() ? "none" : text;
}

}  // namespace priorityd::authorization
