// Every RPC by every role with every proof, right and wrong: allowed exactly where the rights
// table says.
#include "server/transport/boundary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/authorization/rights_table.h"
#include "server/identity/munge_credential.h"
#include "storage/database/database.h"
#include "tests/server/identity/slurm_tokens.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using authorization::kRightsTable;
using authorization::Right;
using authorization::Role;
using authorization::RoleSet;
using identity::SigningKey;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Long past, by the clock of the authenticator.
constexpr int64_t kExpired = 1795330000;

// The credential of a caller, made again for each call.
struct Proof {
  std::string name;
  std::function<std::string()> authorization;
  RoleSet roles;        // Of the caller that it proves, if it is right.
  std::string refusal;  // The reason why it is not; empty = it is.
};

class BoundaryTest : public testing::Test {
 protected:
  // A user who has no association data.
  RoleSet RolesOfThisProcess() const {
    return getuid() == 0 ? RoleSet{Role::kUser, Role::kAdministrator} : RoleSet{Role::kUser};
  }

  void AddUsers(std::vector<Proof>* proofs) {
    const std::vector<std::pair<std::string, RoleSet>> users = {
        {"amy", {Role::kUser}},
        {"coo", {Role::kUser, Role::kCoordinator}},
        {"ope", {Role::kUser, Role::kOperator}},
        {"adm", {Role::kUser, Role::kAdministrator}},
        {"root", {Role::kUser, Role::kAdministrator}}};
    const SigningKey wrong = SigningKey::OfSecret(std::string(32, 'x'));
    const SigningKey rsa = SigningKey::Rsa();
    for (const auto& [user, roles] : users) {
      const std::string claims = absl::StrCat(R"({"sun":")", user, R"(","exp":1795340527})");
      const SigningKey right = SigningKey::OfSecret(identity::SlurmKey());
      const auto always = [](const std::string& token) {
        return [value = "Bearer " + token] { return value; };
      };
      proofs->push_back({user, always(right.Token(claims)), roles, ""});
      proofs->push_back({user + " expired",
                         [this, user = user] { return service_.SlurmToken(user, kExpired); }, roles,
                         "TOKEN_EXPIRED"});
      proofs->push_back(
          {user + " wrong key", always(wrong.Token(claims)), roles, "TOKEN_SIGNATURE"});
      proofs->push_back({user + " wrong alg", always(rsa.Token(claims)), roles, "TOKEN_ALGORITHM"});
      proofs->push_back(
          {user + " alg none", always(right.Token(claims, "none")), roles, "TOKEN_ALGORITHM"});
    }
    // As scontrol issued them.
    proofs->push_back({"scontrol ann", always_ann_, {Role::kUser}, ""});
    proofs->push_back({"scontrol root", always_root_, {Role::kUser, Role::kAdministrator}, ""});
  }

  void AddServices(std::vector<Proof>* proofs) {
    const std::vector<std::pair<std::string, RoleSet>> services = {
        {"collector", {Role::kCollector}},
        {"frontend", {Role::kFrontend}},
        {"dashboard", {Role::kDashboard}},
        {"provisioner", {Role::kProvisioner}},
        {"stranger", {}}};
    const SigningKey wrong = SigningKey::Ec();
    const SigningKey public_as_secret = SigningKey::OfSecret(service_.k8s().Pem());
    for (const auto& [name, roles] : services) {
      const std::string claims = absl::StrCat(R"({"iss":"https://k8s","aud":"priorityd","sub":")",
                                              name, R"(","exp":1795340527})");
      const std::string elsewhere = absl::StrCat(R"({"iss":"https://k8s","aud":"vault","sub":")",
                                                 name, R"(","exp":1795340527})");
      const auto add = [&, roles = roles](const std::string& what, const std::string& token,
                                          const std::string& refusal) {
        proofs->push_back({what, [value = "Bearer " + token] { return value; }, roles, refusal});
      };
      add(name, service_.k8s().Token(claims), "");
      add(name + " wrong key", wrong.Token(claims), "TOKEN_SIGNATURE");
      add(name + " wrong audience", service_.k8s().Token(elsewhere), "TOKEN_AUDIENCE");
      add(name + " wrong alg", public_as_secret.Token(claims), "TOKEN_ALGORITHM");
      proofs->push_back({name + " expired",
                         [this, name = name] { return service_.ServiceToken(name, kExpired); },
                         roles, "TOKEN_EXPIRED"});
    }
  }

  void AddMunge(std::vector<Proof>* proofs) {
    proofs->push_back({"munge", [this] { return service_.Munge(); }, RolesOfThisProcess(), ""});
    proofs->push_back({"munge replayed", [this] { return replayed_; }, {}, "MUNGE_REPLAYED"});
    proofs->push_back({"munge of another site",
                       [this] { return "MUNGE " + other_.Credential(); },
                       {},
                       "MUNGE_INVALID"});
    proofs->push_back({"none", [] { return std::string(); }, {}, "CREDENTIAL_MISSING"});
    proofs->push_back(
        {"basic", [] { return std::string("Basic cm9vdDpyb290"); }, {}, "PROOF_NOT_TAKEN"});
  }

  void Check(const Right& right, const Proof& proof) {
    const grpc::Status status = service_.Call(std::string(right.method), proof.authorization());
    const std::string what =
        absl::StrCat(right.method, " by ", proof.name, ": ", status.error_message());
    if (!proof.refusal.empty()) {
      EXPECT_EQ(status.error_code(), grpc::UNAUTHENTICATED) << what;
      EXPECT_EQ(DetailsOf(status).reason, proof.refusal) << what;
    } else if (proof.roles.HasAnyOf(right.roles)) {
      EXPECT_NE(status.error_code(), grpc::UNAUTHENTICATED) << what;
      EXPECT_NE(status.error_code(), grpc::PERMISSION_DENIED) << what;
      EXPECT_NE(status.error_code(), grpc::UNIMPLEMENTED) << what;
      EXPECT_NE(status.error_code(), grpc::DEADLINE_EXCEEDED) << what;
    } else {
      EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED) << what;
      EXPECT_EQ(DetailsOf(status).reason, "ROLE_REQUIRED") << what;
      const std::string roles = right.roles.ToString();
      const bool has_several = absl::StrContains(roles, ',');
      EXPECT_THAT(status.error_message(),
                  HasSubstr((has_several ? "want one of " : "want ") + roles));
    }
  }

  grpc::Status Update(const v1::UpdateJobsRequest& request, const std::string& authorization,
                      v1::UpdateJobsResponse* response) {
    return service_.Call("priority.v1.PriorityService/UpdateJobs", authorization, &request,
                         response);
  }

  SecuredReplica service_;
  const identity::PrivateMunged other_;
  const std::string replayed_ = [this] {
    std::string credential = service_.Munge();
    service_.Call("priority.v1.PriorityService/ListShares", credential);
    return credential;
  }();
  const std::function<std::string()> always_ann_ = [] {
    return std::string("Bearer ") + identity::kSlurmTokenOfAnn;
  };
  const std::function<std::string()> always_root_ = [] {
    return std::string("Bearer ") + identity::kSlurmTokenOfRoot;
  };
};

TEST_F(BoundaryTest, EveryRpcIsAllowedExactlyWhereTheTableSays) {
  std::vector<Proof> proofs;
  AddUsers(&proofs);
  AddServices(&proofs);
  AddMunge(&proofs);
  for (const Right& right : kRightsTable) {
    for (const Proof& proof : proofs) Check(right, proof);
  }
}

TEST_F(BoundaryTest, ARefusalSaysWhoHasWhichRoleAndWhichIsWanted) {
  const grpc::Status status =
      service_.Call("priority.v1.AdminService/ResetUsage", service_.SlurmToken("amy"));
  EXPECT_THAT(status.error_message(),
              StartsWith("ResetUsage: got amy (Slurm token; ipv4:127.0.0.1"));
  EXPECT_THAT(status.error_message(),
              HasSubstr("with the role user, want one of operator, administrator"));
}

TEST_F(BoundaryTest, SlurmsOwnHeaderIsTaken) {
  const std::string token = identity::kSlurmTokenOfAnn;
  EXPECT_TRUE(service_
                  .Call("priority.v1.PriorityService/ListShares", token, nullptr, nullptr,
                        "x-slurm-user-token")
                  .ok());
}

TEST_F(BoundaryTest, RolesOfOneClusterHoldInNoOther) {
  v1::UpdateClusterRequest cluster;
  cluster.set_allow_missing(true);
  cluster.mutable_cluster()->set_name("d");
  cluster.mutable_cluster()->set_cpus(1);
  const std::string method = "priority.v1.AdminService/UpdateCluster";
  EXPECT_EQ(service_.Call(method, service_.SlurmToken("adm"), &cluster).error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_TRUE(service_.Call(method, service_.SlurmToken("root"), &cluster).ok());
  v1::ImportRequest import = SmallSite();
  import.set_cluster("d");
  EXPECT_EQ(service_.Call("priority.v1.AdminService/Import", service_.SlurmToken("adm"), &import)
                .error_code(),
            grpc::PERMISSION_DENIED);
  import.clear_cluster();  // As the files say: c.
  const grpc::Status own =
      service_.Call("priority.v1.AdminService/Import", service_.SlurmToken("adm"), &import);
  EXPECT_TRUE(own.ok()) << own.error_message();
  v1::DeleteClusterRequest deletion;
  deletion.set_name("d");
  const std::string delete_cluster = "priority.v1.AdminService/DeleteCluster";
  EXPECT_EQ(service_.Call(delete_cluster, service_.SlurmToken("adm"), &deletion).error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_TRUE(service_.Call(delete_cluster, service_.SlurmToken("root"), &deletion).ok());
}

TEST_F(BoundaryTest, AuditRowsHaveTheCallerAndTheProof) {
  v1::UpdateClusterRequest cluster;
  cluster.mutable_cluster()->set_name("c");
  cluster.mutable_cluster()->set_nodes(77);
  ASSERT_TRUE(
      service_.Call("priority.v1.AdminService/UpdateCluster", service_.SlurmToken("adm"), &cluster)
          .ok());
  const auto principal = service_.database().Read([](storage::Transaction& transaction) {
    return transaction.QueryOne(
        storage::OnlyColumn<std::string>,
        "SELECT principal FROM priorityd.audit_event ORDER BY id DESC LIMIT 1");
  });
  ASSERT_TRUE(principal.ok()) << principal.status();
  EXPECT_THAT(*principal, StartsWith("adm (Slurm token; ipv4:127.0.0.1:"));
}

TEST_F(BoundaryTest, AUserUpdatesTheirOwnJobsAndAFrontendAllJobs) {
  v1::UpdateJobsRequest request;
  for (const char* user : {"amy", "ben"}) {
    v1::Job* job = request.add_upserts();
    job->set_job_id(user);
    job->set_user(user);
  }
  v1::UpdateJobsResponse response;
  ASSERT_TRUE(Update(request, service_.SlurmToken("amy"), &response).ok());
  EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(response.upserts(1).outcome(), v1::UPDATE_OUTCOME_REFUSED);
  EXPECT_EQ(response.upserts(1).reason(), "AccessDenied");
  EXPECT_EQ(response.upserts(1).field(), "user");
  request.mutable_upserts(0)->set_nice(-5);
  ASSERT_TRUE(Update(request, service_.ServiceToken("frontend"), &response).ok());
  EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(response.upserts(1).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  request.Clear();
  request.add_removals("ben");
  ASSERT_TRUE(Update(request, service_.SlurmToken("amy"), &response).ok());
  EXPECT_EQ(response.removals(0).reason(), "AccessDenied");
  request.set_full_sync(true);
  EXPECT_EQ(Update(request, service_.SlurmToken("amy"), &response).error_code(),
            grpc::PERMISSION_DENIED);
}

TEST_F(BoundaryTest, WhatIsTakenFromSomebodyIsGone) {
  const std::string method = "priority.v1.AdminService/Recalculate";
  ASSERT_TRUE(service_.Call(method, service_.SlurmToken("ope")).ok());
  ASSERT_TRUE(service_.database()
                  .Write([](storage::Transaction& transaction) {
                    return transaction.ExecuteScript(
                        "UPDATE priorityd.cluster_user SET admin_level = '' WHERE name = 'ope'");
                  })
                  .ok());
  ASSERT_TRUE(service_.ReadRoles().ok());
  EXPECT_EQ(service_.Call(method, service_.SlurmToken("ope")).error_code(),
            grpc::PERMISSION_DENIED);
}

TEST_F(BoundaryTest, EveryRequestNamesItsClusterWhereTheBoundaryLooks) {
  v1::UpdateClusterRequest whole;
  whole.mutable_cluster()->set_name("c");
  EXPECT_EQ(ClusterOf(whole), "c");
  v1::RankJobsRequest named;
  named.set_cluster("d");
  EXPECT_EQ(ClusterOf(named), "d");
  EXPECT_EQ(ClusterOf(v1::StreamUsageRequest()), "");
}

}  // namespace
}  // namespace priorityd::rpc
