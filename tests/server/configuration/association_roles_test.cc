#include "server/configuration/association_roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "storage/configuration/cluster_user_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::configuration {
namespace {

using authorization::Role;
using authorization::RoleSet;
using storage::ClusterUser;
using storage::StatusOf;
using ::testing::ElementsAre;

class AssociationRolesTest : public storage::StoreTest {
 protected:
  void Store(const std::vector<ClusterUser>& users) {
    ASSERT_OK(Write([&](storage::Transaction& transaction) {
      return storage::ClusterUserStore(transaction).Upsert(users);
    }));
  }
  RoleSet RolesOf(const std::string& user) { return roles_.Find(cluster_.name, user).roles; }

  AssociationRoles roles_{&database_};
};

TEST_F(AssociationRolesTest, AdminLevelAndCoordinatorAreRolesInTheirCluster) {
  Store({{cluster_.id, "ope", "", "Operator"},
         {cluster_.id, "adm", "", "Administrator"},
         {cluster_.id, "coo", "", "", {"chem", "bio"}},
         {cluster_.id, "amy", "", "None"}});
  ASSERT_OK(roles_.Read());
  EXPECT_EQ(RolesOf("ope"), RoleSet({Role::kOperator}));
  EXPECT_EQ(RolesOf("adm"), RoleSet({Role::kAdministrator}));
  EXPECT_EQ(RolesOf("coo"), RoleSet({Role::kCoordinator}));
  EXPECT_THAT(roles_.Find(cluster_.name, "coo").coordinated, ElementsAre("chem", "bio"));
  EXPECT_EQ(RolesOf("amy"), RoleSet());
  EXPECT_EQ(RolesOf("nobody"), RoleSet());
  EXPECT_EQ(roles_.Find("another", "adm").roles, RoleSet());
  EXPECT_EQ(roles_.FindInAny("adm"), RoleSet({Role::kAdministrator}));
  EXPECT_EQ(roles_.FindInAny("nobody"), RoleSet());
}

TEST_F(AssociationRolesTest, WhatIsTakenIsGoneWithTheNextRead) {
  Store({{cluster_.id, "ope", "", "Operator"}});
  ASSERT_OK(roles_.Read());
  Store({{cluster_.id, "ope", "", ""}});
  EXPECT_EQ(RolesOf("ope"), RoleSet({Role::kOperator}));
  ASSERT_OK(roles_.Read());
  EXPECT_EQ(RolesOf("ope"), RoleSet());
}

TEST_F(AssociationRolesTest, AnEarlierReadDoesNotOverwriteALaterOne) {
  std::atomic<bool> stops = false;
  std::thread other([&] {
    while (!stops) roles_.Read().IgnoreError();
  });
  for (int i = 0; i < 100; ++i) {
    const bool is_operator = i % 2 == 0;
    Store({{cluster_.id, "ope", "", is_operator ? "Operator" : "None"}});
    ASSERT_OK(roles_.Read());
    for (int j = 0; j < 100; ++j) {
      EXPECT_EQ(RolesOf("ope").empty(), !is_operator);
    }
  }
  stops = true;
  other.join();
}

}  // namespace
}  // namespace priorityd::configuration
