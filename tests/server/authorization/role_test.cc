#include "server/authorization/role.h"

#include <gtest/gtest.h>

namespace priorityd::authorization {
namespace {

TEST(RoleTest, ARoleIsFoundByItsNameInAnyCase) {
  for (const Role role : kRoles) EXPECT_EQ(RoleNamed(NameOf(role)), role);
  EXPECT_EQ(RoleNamed("OPERATOR"), Role::kOperator);
  EXPECT_EQ(RoleNamed("operators"), std::nullopt);
  EXPECT_EQ(RoleNamed(""), std::nullopt);
}

// The words of sacctmgr(1), and those that sacctmgr dump wrote in older versions.
TEST(RoleTest, AdminLevelsAreSlurmsWords) {
  EXPECT_EQ(RoleOfAdminLevel("Operator"), Role::kOperator);
  EXPECT_EQ(RoleOfAdminLevel("administrator"), Role::kAdministrator);
  EXPECT_EQ(RoleOfAdminLevel("Admin"), Role::kAdministrator);
  EXPECT_EQ(RoleOfAdminLevel("SuperUser"), Role::kAdministrator);
  for (const char* none : {"", "None", "Not Set", "frontend", "administrators"}) {
    EXPECT_EQ(RoleOfAdminLevel(none), std::nullopt) << none;
  }
}

TEST(RoleTest, ASetHasWhatWasAdded) {
  RoleSet roles = {Role::kUser};
  EXPECT_FALSE(roles.HasAnyOf({Role::kOperator, Role::kFrontend}));
  roles.Add({Role::kFrontend, Role::kDashboard});
  EXPECT_TRUE(roles.HasAnyOf({Role::kOperator, Role::kFrontend}));
  EXPECT_FALSE(roles.Has(Role::kOperator));
  EXPECT_EQ(roles.ToString(), "user, frontend, dashboard");
  EXPECT_EQ(RoleSet().ToString(), "none");
}

}  // namespace
}  // namespace priorityd::authorization
