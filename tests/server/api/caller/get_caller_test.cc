// GetCaller by every role of the rights table: it returns what the boundary does.
#include "server/api/caller/get_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "server/authorization/rights_table.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using authorization::kRightsTable;
using authorization::Right;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kGetCaller[] = "priority.v1.PriorityService/GetCaller";

class GetCallerTest : public ::testing::Test {
 protected:
  v1::Caller Ask(const std::string& authorization, const std::string& cluster = "") {
    v1::GetCallerRequest request;
    request.set_cluster(cluster);
    v1::Caller caller;
    status_ = service_.Call(kGetCaller, authorization, &request, &caller);
    return caller;
  }

  // The methods at whose boundary nobody is turned away who shows this.
  std::vector<std::string> Passed(const std::string& authorization) {
    std::vector<std::string> methods;
    for (const Right& right : kRightsTable) {
      const grpc::Status status = service_.Call(std::string(right.method), authorization);
      if (DetailsOf(status).reason == "ROLE_REQUIRED") continue;
      methods.push_back(std::string(right.method).substr(sizeof("priority.v1.") - 1));
    }
    std::sort(methods.begin(), methods.end());
    return methods;
  }

  void CreateAccount(const std::string& account, const std::string& parent) {
    v1::CreateAssociationsRequest request;
    v1::NewAssociation* wanted = request.add_associations();
    wanted->set_account(account);
    wanted->set_parent_account(parent);
    const grpc::Status status = service_.Call("priority.v1.AdminService/CreateAssociations",
                                              service_.SlurmToken("root"), &request);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  void Coordinate(const std::string& user, const std::string& accounts) {
    v1::UpdateUsersRequest request;
    request.mutable_where()->add_names(user);
    v1::Setting* setting = request.add_settings();
    setting->set_name("Coordinators");
    setting->set_value(accounts);
    const grpc::Status status = service_.Call("priority.v1.AdminService/UpdateUsers",
                                              service_.SlurmToken("root"), &request);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_TRUE(service_.ReadRoles().ok());
  }

  SecuredReplica service_;
  grpc::Status status_;
};

TEST_F(GetCallerTest, TheMethodsAreThoseAtWhichTheBoundaryTurnsTheCallerNotAway) {
  std::vector<std::string> proofs;
  for (const char* user : {"amy", "coo", "ope", "adm", "root"}) {
    proofs.push_back(service_.SlurmToken(user));
  }
  for (const char* service : {"collector", "frontend", "dashboard"}) {
    proofs.push_back(service_.ServiceToken(service));
  }
  for (const std::string& proof : proofs) {
    const v1::Caller caller = Ask(proof);
    ASSERT_TRUE(status_.ok()) << status_.error_message();
    const std::vector<std::string> told(caller.methods().begin(), caller.methods().end());
    EXPECT_EQ(told, Passed(proof)) << caller.name();
  }
}

TEST_F(GetCallerTest, ACoordinatorGetsTheirRolesAndTheTopmostAccounts) {
  CreateAccount("sub", "a");
  Coordinate("coo", "b,sub,a");
  v1::RecalculateRequest now;
  ASSERT_TRUE(
      service_.Call("priority.v1.AdminService/Recalculate", service_.SlurmToken("root"), &now)
          .ok());
  const v1::Caller coo = Ask(service_.SlurmToken("coo"));
  EXPECT_EQ(coo.name(), "coo");
  EXPECT_EQ(coo.credential(), "token");
  EXPECT_THAT(coo.roles(), ElementsAre("user", "coordinator"));
  EXPECT_THAT(coo.coordinated_accounts(), ElementsAre("a", "b"));
}

TEST_F(GetCallerTest, TheProofIsReported) {
  EXPECT_EQ(Ask(service_.Munge()).credential(), "munge");
  const v1::Caller collector = Ask(service_.ServiceToken("collector"));
  EXPECT_EQ(collector.name(), "collector");
  EXPECT_EQ(collector.credential(), "token");
  EXPECT_THAT(collector.roles(), ElementsAre("collector"));
}

TEST_F(GetCallerTest, WhoeverHasNoRoleIsRefused) {
  Ask(service_.ServiceToken("stranger"));
  EXPECT_EQ(status_.error_code(), grpc::PERMISSION_DENIED);
}

TEST_F(GetCallerTest, AClusterThatIsNotThereIsAnError) {
  Ask(service_.SlurmToken("amy"), "nowhere");
  EXPECT_EQ(status_.error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_CLUSTER");
}

TEST_F(GetCallerTest, OfSeveralClustersRolesAreThoseOfTheNamedOne) {
  v1::UpdateClusterRequest other;
  other.set_allow_missing(true);
  other.mutable_cluster()->set_name("d");
  other.mutable_cluster()->set_cpus(1);
  ASSERT_TRUE(
      service_.Call("priority.v1.AdminService/UpdateCluster", service_.SlurmToken("root"), &other)
          .ok());
  EXPECT_THAT(Ask(service_.SlurmToken("ope"), "c").roles(), ElementsAre("user", "operator"));
  EXPECT_THAT(Ask(service_.SlurmToken("ope"), "d").roles(), ElementsAre("user"));
  EXPECT_THAT(Ask(service_.SlurmToken("ope")).roles(), ElementsAre("user"));
}

// A service that asks nobody.
TEST(AnonymousCallerTest, HasNoNameAndEveryMethod) {
  TestService service;
  v1::Caller caller;
  const grpc::Status status = CallUnary(service, v1::GetCallerRequest(), &caller);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(caller.name(), "");
  EXPECT_EQ(caller.credential(), "none");
  EXPECT_THAT(caller.coordinated_accounts(), IsEmpty());
  EXPECT_EQ(caller.methods_size(), static_cast<int>(std::size(kRightsTable)));
}

}  // namespace
}  // namespace priorityd::rpc
