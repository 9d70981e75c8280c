// The roles of callers.
#ifndef PRIORITYD_SERVER_AUTHORIZATION_ROLE_H_
#define PRIORITYD_SERVER_AUTHORIZATION_ROLE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::authorization {

// The first four are Slurm's, in its order; the others are for services.
enum class Role : uint8_t {
  kUser,           // Every authenticated user.
  kCoordinator,    // Of accounts: Coordinator of sacctmgr.
  kOperator,       // AdminLevel=Operator.
  kAdministrator,  // AdminLevel=Administrator; uid 0 and SlurmUser.
  kCollector,      // Reports usage.
  kFrontend,       // A batch scheduler: acts for all users' jobs.
  kDashboard,      // Reads.
  kProvisioner,    // Creates the accounts, users and partitions named by a frontend's jobs.
};

inline constexpr std::array<Role, 8> kRoles = {
    Role::kUser,      Role::kCoordinator, Role::kOperator,  Role::kAdministrator,
    Role::kCollector, Role::kFrontend,    Role::kDashboard, Role::kProvisioner};

// `administrator`
absl::string_view NameOf(Role role);

// The role of that name, in any case; nullopt for an unknown name.
std::optional<Role> RoleNamed(absl::string_view name);

// The role of a Slurm AdminLevel; nullopt for None and for words unknown to Slurm.
std::optional<Role> RoleOfAdminLevel(absl::string_view admin_level);

class RoleSet {
 public:
  constexpr RoleSet() = default;
  constexpr RoleSet(std::initializer_list<Role> roles) {
    for (const Role role : roles) Add(role);
  }

  constexpr void Add(Role role) { bits_ |= Bit(role); }
  constexpr void Add(RoleSet others) { bits_ |= others.bits_; }
  constexpr RoleSet Without(RoleSet others) const {
    RoleSet left = *this;
    left.bits_ &= static_cast<uint8_t>(~others.bits_);
    return left;
  }
  constexpr bool Has(Role role) const { return (bits_ & Bit(role)) != 0; }
  constexpr bool HasAnyOf(RoleSet others) const { return (bits_ & others.bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const RoleSet&) const = default;

  // `operator, administrator`; `none` if it is empty.
  std::string ToString() const;

 private:
  static constexpr uint8_t Bit(Role role) {
    return static_cast<uint8_t>(1u << static_cast<uint8_t>(role));
  }

  uint8_t bits_ = 0;
};

}  // namespace priorityd::authorization

#endif  // PRIORITYD_SERVER_AUTHORIZATION_ROLE_H_
