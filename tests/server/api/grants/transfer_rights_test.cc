// Between which grants a coordinator may move amounts, over gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "priority/v1/admin_service.pb.h"
#include "priority/v1/grant.pb.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/private_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

// coo coordinates a, in which amy and ben are; cat is in b. sub and side are below a, deep is below
// sub.
class TransferRightsTest : public ::testing::Test {
 protected:
  TransferRightsTest() {
    for (const auto& [account, parent] : std::vector<std::pair<const char*, const char*>>{
             {"sub", "a"}, {"deep", "sub"}, {"side", "a"}}) {
      v1::CreateAssociationsRequest request;
      request.add_associations()->set_account(account);
      request.mutable_associations(0)->set_parent_account(parent);
      site_.Call<v1::ChangeResponse>("root", "AdminService/CreateAssociations", request);
    }
    Grant("amy", {"Accounts=a", "User=amy"});
    Grant("ben", {"Accounts=a", "User=ben", "Begin=2026-01-04T00:00:00Z"});
    Grant("cat", {"Accounts=b", "User=cat"});
    for (const char* account : {"a", "sub", "deep", "side"}) {
      Grant(account, {std::string("Accounts=") + account});
    }
    Grant("warned", {"Accounts=a", "User=coo", "Consequence=warn"});
    Grant("both", {"Accounts=sub,side", "TRES=cpu"});
    Grant("cpu", {"Accounts=deep", "TRES=cpu"});
    site_.Recalculate();
  }

  // 1000 TRES-minutes, and jobs wait beyond them, unless `settings` say otherwise.
  void Grant(const std::string& name, const Names& settings) {
    v1::UpdateGrantsRequest request;
    request.add_names(name);
    request.set_allow_missing(true);
    AddSettings(WithDefaults(settings, {"Amount=1000", "Consequence=block"}), &request);
    site_.Call<v1::ChangeResponse>("root", "AdminService/UpdateGrants", request);
  }

  grpc::Status Transfer(const std::string& who, const std::string& from, const std::string& to,
                        double minutes, bool only_looks) {
    v1::TransferGrantRequest request;
    request.set_from(from);
    request.set_to(to);
    request.set_amount_minutes(minutes);
    request.mutable_options()->set_validate_only(only_looks);
    return site_.StatusOf<v1::ChangeResponse>(who, "AdminService/TransferGrant", request);
  }
  std::string Outcome(const std::string& who, const std::string& from, const std::string& to) {
    const grpc::Status status = Transfer(who, from, to, 10, /*only_looks=*/true);
    if (status.ok()) return "OK";
    return status.error_code() == grpc::PERMISSION_DENIED ? "denied" : status.error_message();
  }

  double AvailableOf(const std::string& name) {
    v1::ListGrantsRequest request;
    request.add_names(name);
    const auto response =
        site_.Call<v1::ListGrantsResponse>("root", "PriorityService/ListGrants", request);
    return response.grants_size() == 1 ? response.grants(0).balance().available_minutes() : -1;
  }

  PrivateSite site_{"all"};
};

TEST_F(TransferRightsTest,
       ACoordinatorMovesBetweenOwnersBelowTheAccountOfWhichNoneContainsTheOther) {
  struct Case {
    const char* from;
    const char* to;
    bool for_coordinator;
  };
  const Case cases[] = {{"amy", "ben", true},    {"sub", "side", true},  {"amy", "sub", true},
                        {"deep", "side", false}, {"side", "deep", true}, {"a", "sub", false},
                        {"sub", "a", false},     {"amy", "a", false},    {"sub", "deep", false},
                        {"deep", "sub", false},  {"both", "cpu", false}, {"cpu", "both", false},
                        {"amy", "cat", false},   {"cat", "amy", false},  {"amy", "warned", false}};
  for (const auto& [from, to, for_coordinator] : cases) {
    for (const char* who : {"root", "adm", "ope"}) {
      EXPECT_EQ(Outcome(who, from, to), "OK") << who << " " << from << " " << to;
    }
    EXPECT_EQ(Outcome("coo", from, to), for_coordinator ? "OK" : "denied") << from << " " << to;
    for (const char* who : {"amy", "cat", "frontend", "dashboard"}) {
      EXPECT_EQ(Outcome(who, from, to), "denied") << who << " " << from << " " << to;
    }
  }
}

TEST_F(TransferRightsTest, ATransferOfACoordinatorLeavesTheSumAsItIs) {
  const double before = AvailableOf("sub") + AvailableOf("side");
  EXPECT_TRUE(Transfer("coo", "sub", "side", 400, /*only_looks=*/false).ok());
  site_.Recalculate();
  EXPECT_EQ(AvailableOf("sub"), 600);
  EXPECT_EQ(AvailableOf("side"), 1400);
  EXPECT_EQ(AvailableOf("sub") + AvailableOf("side"), before);
  const grpc::Status too_much = Transfer("coo", "sub", "side", 601, /*only_looks=*/false);
  EXPECT_EQ(too_much.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(too_much.error_message(), HasSubstr("want at most the 600 billing-minutes"));
}

TEST_F(TransferRightsTest, WhatACoordinatorMayNotKnowIsRefusedInTheSameWordsThereOrNot) {
  const std::string hidden = Transfer("coo", "amy", "cat", 1, true).error_message();
  EXPECT_EQ(Transfer("coo", "amy", "nowhere", 1, true).error_message(), hidden);
  EXPECT_EQ(Transfer("coo", "cat", "amy", 1, true).error_message(), hidden);
  EXPECT_EQ(Transfer("coo", "nowhere", "amy", 1, true).error_message(), hidden);
  EXPECT_EQ(Transfer("root", "amy", "nowhere", 1, true).error_code(), grpc::NOT_FOUND);
}

TEST_F(TransferRightsTest, OnlyOperatorsSeeTheProofAndTheAddressOfWhoChangedAGrant) {
  v1::GetGrantStatementRequest request;
  request.set_name("amy");
  const auto author = [&](const std::string& who) {
    return site_
        .Call<v1::GetGrantStatementResponse>(who, "PriorityService/GetGrantStatement", request)
        .grant()
        .versions(0)
        .changed_by();
  };
  EXPECT_THAT(author("root"), HasSubstr("root ("));
  for (const char* who : {"amy", "coo", "dashboard"}) EXPECT_EQ(author(who), "root") << who;
}

}  // namespace
}  // namespace priorityd::rpc
