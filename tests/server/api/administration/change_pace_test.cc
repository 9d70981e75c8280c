// When a change by a verb takes effect: soon, on the leader and asked of any other replica.
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>

#include "priority/v1/administration.pb.h"
#include "server/recalculation/recalculation_loop.h"
#include "tests/await.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

// `shares`: of amy.
v1::ChangeResponse Modify(TestService& service, int shares, bool validate_only = false) {
  v1::UpdateAssociationsRequest request;
  request.mutable_where()->add_users("amy");
  request.mutable_options()->set_validate_only(validate_only);
  v1::Setting* setting = request.add_settings();
  setting->set_name("Fairshare");
  setting->set_value(std::to_string(shares));
  v1::ChangeResponse response;
  const grpc::Status status = CallUnary(service, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

int64_t SharesOfAmy(TestService& service) {
  return static_cast<int64_t>(ShareOf(ListShares(service), "a", "amy").raw_shares());
}

bool Shows(TestService& service, int shares) {
  return Await([&] { return SharesOfAmy(service) == shares; });
}

absl::Time EffectOf(const v1::ChangeResponse& response) {
  return absl::FromUnixSeconds(response.takes_effect_at().seconds());
}

TEST(ChangePaceTest, AVerbsChangeIsInForceASecondAfterTheLastRecalculationAndSaysSo) {
  TestService service;
  Import(service, SmallSite());
  EXPECT_EQ(EffectOf(Modify(service, 7)), TestEpoch() + absl::Seconds(1));
  EXPECT_EQ(SharesOfAmy(service), 2);
  service.SetNow(TestEpoch() + absl::Seconds(1));
  EXPECT_TRUE(Shows(service, 7));
  // The schedule stays; it is there after the snapshot.
  EXPECT_TRUE(Await([&] { return service.loop().DueAt("c") == TestEpoch() + absl::Minutes(5); }));
}

TEST(ChangePaceTest, AVerbsChangeAfterAWhileIsInForceAtOnce) {
  TestService service;
  Import(service, SmallSite());
  service.SetNow(TestEpoch() + absl::Seconds(100));
  EXPECT_EQ(EffectOf(Modify(service, 7)), TestEpoch() + absl::Seconds(100));
  EXPECT_TRUE(Shows(service, 7));
  const v1::Snapshot snapshot = ListShares(service).snapshot();
  EXPECT_EQ(snapshot.computed_at().seconds(), absl::ToUnixSeconds(TestEpoch()) + 100);
  EXPECT_EQ(snapshot.generation(), 2);
}

TEST(ChangePaceTest, AChangeAskedOfAFollowerIsInForceAtOnceOnEveryReplica) {
  TestService leader;
  Import(leader, SmallSite());
  TestService follower({.database_url = leader.database_url()});
  ASSERT_FALSE(follower.loop().leads());
  leader.SetNow(TestEpoch() + absl::Seconds(100));
  follower.SetNow(TestEpoch() + absl::Seconds(100));
  EXPECT_EQ(EffectOf(Modify(follower, 7)), TestEpoch() + absl::Seconds(100));
  EXPECT_TRUE(Shows(leader, 7));
  EXPECT_TRUE(Shows(follower, 7));
}

TEST(ChangePaceTest, WhatChangesNothingHastensNothing) {
  TestService service;
  Import(service, SmallSite());
  EXPECT_FALSE(Modify(service, 7, /*validate_only=*/true).has_takes_effect_at());
  EXPECT_FALSE(Modify(service, 2).has_takes_effect_at());
  EXPECT_TRUE(Await([&] { return service.loop().DueAt("c") == TestEpoch() + absl::Minutes(5); }));
}

TEST(ChangePaceTest, OnAManualClockAChangeWaitsToBeRecalculated) {
  TestService service;
  Import(service, SmallSite("Clock=manual\n"));
  v1::RecalculateRequest recalculate;
  *recalculate.mutable_as_of() = ToTimestamp(TestEpoch());
  Recalculate(service, recalculate);
  EXPECT_FALSE(Modify(service, 7).has_takes_effect_at());
  EXPECT_EQ(SharesOfAmy(service), 2);
  Recalculate(service, recalculate);
  EXPECT_EQ(SharesOfAmy(service), 7);
}

}  // namespace
}  // namespace priorityd::rpc
