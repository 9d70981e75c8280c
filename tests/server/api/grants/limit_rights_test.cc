// Which grants a coordinator may make, change and end, over gRPC: they limit and add nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "priority/v1/admin_service.pb.h"
#include "priority/v1/grant.pb.h"
#include "storage/database/database.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/private_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

// coo coordinates a, in which amy, ben and coo are; cat is in b. sub and side are below a, deep is
// below sub. Operators have granted 1000 billing-minutes to a, to side and to ben.
class LimitRightsTest : public ::testing::Test {
 protected:
  LimitRightsTest() {
    for (const auto& [account, parent] : std::vector<std::pair<const char*, const char*>>{
             {"sub", "a"}, {"deep", "sub"}, {"side", "a"}}) {
      v1::CreateAssociationsRequest request;
      request.add_associations()->set_account(account);
      request.mutable_associations(0)->set_parent_account(parent);
      site_.Call<v1::ChangeResponse>("root", "AdminService/CreateAssociations", request);
    }
    EXPECT_TRUE(Make("root", "top", {"Accounts=a"}).ok());
    EXPECT_TRUE(Make("root", "side", {"Accounts=side"}).ok());
    EXPECT_TRUE(Make("root", "ben", {"Accounts=a", "User=ben"}).ok());
    site_.Recalculate();
  }

  // 1000 billing-minutes that block, unless `settings` say otherwise.
  grpc::Status Make(const std::string& who, const std::string& name, const Names& settings,
                    bool only_looks = false, v1::ChangeResponse* response = nullptr) {
    v1::UpdateGrantsRequest request;
    request.add_names(name);
    request.set_allow_missing(true);
    request.mutable_options()->set_validate_only(only_looks);
    AddSettings(WithDefaults(settings, {"Amount=1000", "Consequence=block"}), &request);
    grpc::Status status;
    const auto answer =
        site_.Call<v1::ChangeResponse>(who, "AdminService/UpdateGrants", request, &status);
    if (response != nullptr) *response = answer;
    return status;
  }
  grpc::Status Revoke(const std::string& who, const std::string& name) {
    v1::RevokeGrantsRequest request;
    request.add_names(name);
    return site_.StatusOf<v1::ChangeResponse>(who, "AdminService/RevokeGrants", request);
  }
  grpc::Status Transfer(const std::string& from, const std::string& to,
                        const std::string& who = "coo") {
    v1::TransferGrantRequest request;
    request.set_from(from);
    request.set_to(to);
    request.set_amount_minutes(1);
    return site_.StatusOf<v1::ChangeResponse>(who, "AdminService/TransferGrant", request);
  }
  void LetBenCoordinate(const std::string& setting = "Coordinators+=sub") {
    v1::UpdateUsersRequest request;
    request.mutable_where()->add_names("ben");
    AddSettings({setting}, &request);
    site_.Call<v1::ChangeResponse>("root", "AdminService/UpdateUsers", request);
    ASSERT_TRUE(site_.replica().ReadRoles().ok());
  }
  v1::Grant GrantNamed(const std::string& name) {
    v1::ListGrantsRequest request;
    request.add_names(name);
    request.set_include_past(true);
    const auto response =
        site_.Call<v1::ListGrantsResponse>("root", "PriorityService/ListGrants", request);
    return response.grants_size() == 1 ? response.grants(0) : v1::Grant();
  }

  PrivateSite site_{"all"};
};

TEST_F(LimitRightsTest, ACoordinatorLimitsWhatIsBelowAsFarAsAGrantAboveReaches) {
  struct Case {
    const char* name;
    Names settings;
    bool is_allowed;
  };
  const Case cases[] = {
      {"a/sub", {"Accounts=sub"}, true},
      {"a/amy", {"Accounts=a", "User=amy", "Consequence=demote:Band=10"}, true},
      {"a/two", {"Accounts=sub,deep", "Window=rolling:7"}, true},
      {"a/big", {"Accounts=sub", "Amount=1000.5"}, false},
      {"a/cpu", {"Accounts=sub", "TRES=cpu"}, false},
      {"a/past", {"Accounts=sub", "Begin=2025-12-31"}, false},
      {"a/self", {"Accounts=a"}, false},
      {"a/more", {"Accounts=sub,b"}, false},
      {"a/b", {"Accounts=b"}, false},
      {"a/nowhere", {"Accounts=nowhere"}, false},
      {"a/side", {"Accounts=side"}, false},
      {"a/ben", {"Accounts=a", "User=ben"}, false},
      {"b/sub", {"Accounts=sub"}, false},
      {"sub", {"Accounts=sub"}, false},
  };
  for (const auto& [name, settings, is_allowed] : cases) {
    const grpc::Status status = Make("coo", name, settings, /*only_looks=*/true);
    EXPECT_EQ(status.error_code(), is_allowed ? grpc::OK : grpc::PERMISSION_DENIED)
        << name << ": " << status.error_message();
    for (const char* who : {"amy", "cat", "frontend", "dashboard"}) {
      EXPECT_EQ(Make(who, name, settings, true).error_code(), grpc::PERMISSION_DENIED) << name;
    }
  }
}

TEST_F(LimitRightsTest, WhatACoordinatorMayNotLimitIsRefusedInTheSameWordsThereOrNot) {
  const std::string hidden = Make("coo", "a/b", {"Accounts=b"}).error_message();
  EXPECT_EQ(Make("coo", "a/nowhere", {"Accounts=nowhere"}).error_message(), hidden);
  EXPECT_EQ(Make("coo", "top", {"Amount=5"}).error_message(), hidden);
  EXPECT_EQ(Make("coo", "nothing", {"Amount=5"}).error_message(), hidden);
  for (const char* name : {"top", "side", "nothing"}) {
    EXPECT_EQ(Revoke("coo", name).error_message(), hidden);
  }
}

TEST_F(LimitRightsTest, ACoordinatorChangesAndEndsWhatCoordinatorsMadeAndOperatorsDoToo) {
  ASSERT_TRUE(Make("coo", "a/sub", {"Accounts=sub"}).ok());
  ASSERT_TRUE(Make("coo", "a/deep", {"Accounts=deep"}).ok());
  EXPECT_TRUE(Make("coo", "a/sub", {"Amount=2"}).ok());
  EXPECT_EQ(GrantNamed("a/sub").attributes().at("Amount"), "2");
  EXPECT_EQ(Make("coo", "a/sub", {"Amount=1001"}).error_code(), grpc::PERMISSION_DENIED);
  EXPECT_TRUE(Revoke("coo", "a/sub").ok());
  EXPECT_TRUE(Make("ope", "a/deep", {"Amount=2000"}).ok());
  EXPECT_TRUE(Revoke("ope", "a/deep").ok());
}

TEST_F(LimitRightsTest, NoAmountOfACoordinatorReachesAGrantOfAnOperator) {
  ASSERT_TRUE(Make("coo", "a/amy", {"Accounts=a", "User=amy"}).ok());
  ASSERT_TRUE(Make("coo", "a/coo", {"Accounts=a", "User=coo"}).ok());
  site_.Recalculate();
  EXPECT_EQ(Transfer("a/amy", "ben").error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(Transfer("ben", "a/amy").error_code(), grpc::PERMISSION_DENIED);
  const grpc::Status among = Transfer("a/amy", "a/coo");
  EXPECT_TRUE(among.ok()) << among.error_message();
}

// What follows the last of an owner's grants is what it says: one more could lift the limit.
TEST_F(LimitRightsTest, ACoordinatorBelowLiftsNoLimitOfOneAbove) {
  LetBenCoordinate();
  ASSERT_TRUE(Make("root", "sub", {"Accounts=sub"}).ok());
  ASSERT_TRUE(Make("ben", "sub/early", {"Accounts=deep"}).ok());
  ASSERT_TRUE(Make("coo", "a/deep", {"Accounts=deep", "Amount=10"}).ok());
  const Names none = {"Accounts=deep", "Consequence=none", "Order=1000"};
  EXPECT_THAT(Make("ben", "sub/deep", none).error_message(),
              HasSubstr("Accounts: got the owner of grant a/deep, want an operator"));
  EXPECT_EQ(Make("ben", "sub/early", {"Consequence=none"}).error_code(), grpc::PERMISSION_DENIED);
  const std::string hidden = Make("ben", "a/deep", {"Amount=1000"}).error_message();
  EXPECT_EQ(hidden, Make("ben", "b/nothing", {"Accounts=deep"}).error_message());
  EXPECT_EQ(Revoke("ben", "a/deep").error_message(), hidden);
  EXPECT_EQ(Make("ben", "sub/then", {"Accounts=deep", "Begin=2027-01-01"}, true).error_code(),
            grpc::PERMISSION_DENIED);
  ASSERT_TRUE(Make("coo", "a/deep", {"End=2026-12-01"}).ok());
  EXPECT_TRUE(Make("ben", "sub/then", {"Accounts=deep", "Begin=2027-01-01"}).ok());
}

TEST_F(LimitRightsTest, ACoordinatorBelowMovesNoAmountToALimitOfOneAbove) {
  LetBenCoordinate();
  v1::CreateAssociationsRequest request;
  request.add_associations()->set_account("pit");
  request.mutable_associations(0)->set_parent_account("sub");
  site_.Call<v1::ChangeResponse>("root", "AdminService/CreateAssociations", request);
  ASSERT_TRUE(Make("root", "sub", {"Accounts=sub"}).ok());
  ASSERT_TRUE(Make("ben", "sub/deep", {"Accounts=deep"}).ok());
  ASSERT_TRUE(Make("ben", "sub/pit", {"Accounts=pit"}).ok());
  site_.Recalculate();
  const grpc::Status own = Transfer("sub/pit", "sub/deep", "ben");
  EXPECT_TRUE(own.ok()) << own.error_message();
  ASSERT_TRUE(Make("coo", "a/deep", {"Accounts=deep", "Amount=10"}).ok());
  site_.Recalculate();
  EXPECT_THAT(Transfer("sub/pit", "a/deep", "ben").error_message(),
              HasSubstr("to: got the owner of grant a/deep, want an operator"));
  EXPECT_EQ(Transfer("sub/pit", "sub/deep", "ben").error_code(), grpc::PERMISSION_DENIED)
      << "it is used with a/deep";
  const grpc::Status above = Transfer("sub/pit", "a/deep");
  EXPECT_TRUE(above.ok()) << above.error_message();
}

TEST_F(LimitRightsTest, ACoordinatorAboveChangesAndEndsWhatOneBelowMade) {
  LetBenCoordinate();
  ASSERT_TRUE(Make("root", "sub", {"Accounts=sub"}).ok());
  ASSERT_TRUE(Make("ben", "sub/deep", {"Accounts=deep"}).ok());
  EXPECT_TRUE(Make("coo", "sub/deep", {"Amount=5"}).ok());
  EXPECT_EQ(GrantNamed("sub/deep").attributes().at("Amount"), "5");
  EXPECT_TRUE(Make("coo", "a/deep", {"Accounts=deep"}).ok()) << "beside it";
  EXPECT_TRUE(Revoke("coo", "sub/deep").ok());
  EXPECT_EQ(GrantNamed("sub/deep").state(), v1::GRANT_STATE_REVOKED);
}

TEST_F(LimitRightsTest, ALimitOfADeletedAccountCanOnlyBeEnded) {
  ASSERT_TRUE(Make("coo", "a/deep", {"Accounts=deep"}).ok());
  v1::DeleteAssociationsRequest request;
  *request.mutable_where() = Where({"deep"}, {});
  site_.Call<v1::ChangeResponse>("root", "AdminService/DeleteAssociations", request);
  EXPECT_EQ(Make("coo", "a/deep", {"Amount=5"}).error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(Revoke("ben", "a/deep").error_code(), grpc::PERMISSION_DENIED);
  EXPECT_TRUE(Revoke("coo", "a/deep").ok());
}

TEST_F(LimitRightsTest, ALimitNamedAfterADeletedAccountIsEndedByItsAuthorAlone) {
  LetBenCoordinate();
  ASSERT_TRUE(Make("root", "sub", {"Accounts=sub"}).ok());
  for (const char* name : {"deep/y", "deep/z"}) {
    const grpc::Status made = Make("ben", name, {"Accounts=deep"});
    ASSERT_TRUE(made.ok()) << made.error_message();
  }
  for (const auto& [name, accounts] : std::vector<std::pair<const char*, const char*>>{
           {"deep/x", "Accounts=deep"}, {"deep/two", "Accounts=deep,sub"}}) {
    const grpc::Status made = Make("coo", name, {accounts});
    ASSERT_TRUE(made.ok()) << made.error_message();
  }
  v1::DeleteAssociationsRequest request;
  *request.mutable_where() = Where({"deep"}, {});
  site_.Call<v1::ChangeResponse>("root", "AdminService/DeleteAssociations", request);
  EXPECT_EQ(Make("coo", "deep/x", {"Amount=5"}).error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(Make("coo", "deep/new", {"Accounts=sub"}).error_code(), grpc::PERMISSION_DENIED);
  const grpc::Status of_another = Revoke("ben", "deep/x");
  EXPECT_EQ(of_another.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_THAT(of_another.error_message(), HasSubstr("names: got ben"));
  EXPECT_THAT(Revoke("ben", "deep/none").error_message(), HasSubstr("names: got ben"))
      << "in the same words whether or not it exists";
  EXPECT_EQ(Revoke("coo", "deep/y").error_code(), grpc::PERMISSION_DENIED) << "ben made it";
  EXPECT_EQ(Revoke("amy", "deep/x").error_code(), grpc::PERMISSION_DENIED);
  for (const auto& [who, name] : std::vector<std::pair<const char*, const char*>>{
           {"coo", "deep/x"}, {"coo", "deep/two"}, {"ben", "deep/y"}}) {
    const grpc::Status ended = Revoke(who, name);
    EXPECT_TRUE(ended.ok()) << name << ": " << ended.error_message();
    EXPECT_EQ(GrantNamed(name).state(), v1::GRANT_STATE_REVOKED) << name;
  }
  LetBenCoordinate("Coordinators-=sub");
  EXPECT_EQ(Revoke("ben", "deep/z").error_code(), grpc::PERMISSION_DENIED)
      << "no coordinator any more";
  EXPECT_TRUE(Revoke("root", "deep/z").ok());
}

TEST_F(LimitRightsTest, AnAuthorThatLostTheAccountEndsNoLimitOfIt) {
  LetBenCoordinate();
  ASSERT_TRUE(Make("root", "sub", {"Accounts=sub"}).ok());
  ASSERT_TRUE(Make("ben", "deep/kin", {"Accounts=deep"}).ok());
  LetBenCoordinate("Coordinators=side");
  EXPECT_EQ(Revoke("ben", "deep/kin").error_code(), grpc::PERMISSION_DENIED)
      << "the account exists and is not below";
}

TEST_F(LimitRightsTest, NoneIsMadeBesideAReplicaThatTakesItForAnOperators) {
  const auto execute = [&](const char* statement) {
    const absl::Status status = site_.replica().database().Write(
        [&](storage::Transaction& t) { return t.Execute(statement).status(); });
    ASSERT_TRUE(status.ok()) << status;
  };
  execute(
      "INSERT INTO priorityd.replica (name, address, version, started_at, leads, host_ahead, "
      "known_migration, seen_at) "
      "VALUES ('old', '10.0.0.9:7411', '0.4.0', now(), false, 0, 53, clock_timestamp())");
  EXPECT_THAT(
      Make("coo", "a/sub", {"Accounts=sub"}).error_message(),
      HasSubstr("names[0]: got a grant of a coordinator beside the replica \"10.0.0.9:7411\""));
  EXPECT_TRUE(Make("root", "sub", {"Accounts=sub", "TRES=cpu"}).ok());
  execute("UPDATE priorityd.replica SET known_migration = 54 WHERE name = 'old'");
  EXPECT_TRUE(Make("coo", "a/sub", {"Accounts=sub"}).ok());
}

// Otherwise usage of January would be charged to the coordinator's grant, which is used first.
TEST_F(LimitRightsTest, AnOperatorsGrantOfTheSameOwnerIsAsIfTheOtherHadNeverBeen) {
  ASSERT_TRUE(Make("coo", "a/sub", {"Accounts=sub", "Order=-1000"}).ok());
  site_.Recalculate();
  v1::ChangeResponse response;
  const grpc::Status status =
      Make("root", "sub", {"Accounts=sub", "Amount=10", "Begin=2026-01-01"}, false, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_GT(response.warnings_size(), 0);
  EXPECT_THAT(response.warnings(0), HasSubstr("grant a/sub, which a coordinator made for the owner "
                                              "of sub, is revoked from its begin on"));
  EXPECT_EQ(GrantNamed("a/sub").state(), v1::GRANT_STATE_REVOKED);
  EXPECT_FALSE(GrantNamed("a/sub").has_balance()) << "it has no window";
  EXPECT_EQ(Make("coo", "a/again", {"Accounts=sub"}).error_code(), grpc::PERMISSION_DENIED);
}

}  // namespace
}  // namespace priorityd::rpc
