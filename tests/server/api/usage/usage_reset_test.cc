#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

const std::vector<Era>& TwoHours() {
  static const auto* const kEras = new std::vector<Era>{{Hour(0), absl::Hours(2)}};
  return *kEras;
}

class ResetUsageTest : public UsageSite {
 protected:
  ResetUsageTest() {
    Import(service_, SmallSite("Clock=manual\nPriorityDecayHalfLife=2:0:0\n"));
    RecalculateAt(Hour(0));
    v1::ImportRequest usage;
    AddFile(v1::FILE_KIND_USAGE, "usage", "a|ben||1000\n", &usage);
    Import(service_, usage);
    Record({Hour(0), Hour(3), 2});
    Record({Hour(0), Hour(3), 1}, "");
    Record({Hour(0), Hour(3), 1}, "cat", "b");
    RecalculateAt(Hour(4));
  }
  grpc::Status status_;
};

TEST_F(ResetUsageTest, OfAUserItIsThatUsersAlone) {
  const double account = UsageOf("a", "");
  const double amy = UsageOf("a", "amy");
  EXPECT_EQ(Reset("a", "amy").associations(), 1);
  EXPECT_GT(UsageOf("a", "amy"), 0);  // Until the next recalculation.
  RecalculateAt(Hour(4));
  EXPECT_EQ(UsageOf("a", "amy"), 0);
  ExpectClose(UsageOf("a", ""), account - amy);
}

TEST_F(ResetUsageTest, OfAnAccountItIsAllBelowItAndNothingBeside) {
  const double cat = UsageOf("b", "cat");
  const v1::ResetUsageResponse answer = Reset("a");
  EXPECT_EQ(answer.associations(), 3);
  EXPECT_EQ(answer.reset_at().seconds(), absl::ToUnixSeconds(Hour(4)));
  RecalculateAt(Hour(4));
  EXPECT_EQ(UsageOf("a", ""), 0);
  EXPECT_EQ(UsageOf("a", "ben"), 0);  // Its opening usage too.
  ExpectClose(UsageOf("b", "cat"), cat);
  ExpectClose(UsageOf("root", ""), cat);
}

TEST_F(ResetUsageTest, LateRecordsCountFromTheResetOn) {
  Reset("a");
  Record({Hour(1), Hour(2), 100});
  Record({Hour(3), Hour(6), 1});
  Record({Hour(1), Hour(2), 100}, "ben");
  RecalculateAt(Hour(7));
  ExpectClose(UsageOf("a", "amy"),
              NaiveUsage({{Hour(4), Hour(6), 1}}, TwoHours(), Hour(4), Hour(7)));
  EXPECT_EQ(UsageOf("a", "ben"), 0);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(ResetUsageTest, WhatWasRecordedAheadOfTheClockKeepsItsLaterPart) {
  Record({Hour(3), Hour(8), 1});
  Reset("a", "amy");
  RecalculateAt(Hour(9));
  ExpectClose(UsageOf("a", "amy"),
              NaiveUsage({{Hour(4), Hour(8), 1}}, TwoHours(), Hour(4), Hour(9)));
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(ResetUsageTest, TheLastOfSeveralResetsCounts) {
  Reset("a", "amy");
  Record({Hour(4), Hour(5), 1});
  RecalculateAt(Hour(6));
  Reset("a");
  Record({Hour(5), Hour(7), 1});
  RecalculateAt(Hour(8));
  ExpectClose(UsageOf("a", "amy"),
              NaiveUsage({{Hour(6), Hour(7), 1}}, TwoHours(), Hour(6), Hour(8)));
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(ResetUsageTest, ARebuildBringsNothingBack) {
  Reset("root");
  Execute("DELETE FROM priorityd.association_usage");
  Rebuild(false);
  RecalculateAt(Hour(4));
  EXPECT_EQ(UsageOf("root", ""), 0);
}

TEST_F(ResetUsageTest, ARetroactiveChangeBringsNothingBack) {
  Reset("root");
  Apply("PriorityDecayHalfLife=30-0\n", /*retroactive=*/true);
  RecalculateAt(Hour(4));
  EXPECT_EQ(UsageOf("root", ""), 0);
}

TEST_F(ResetUsageTest, AnUnknownAssociationIsRefused) {
  Reset("a", "cat", &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_ASSOCIATION");
  Reset("", "", &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "account");
}

TEST_F(ResetUsageTest, ValidateOnlyResetsNothing) {
  const double amy = UsageOf("a", "amy");
  v1::ResetUsageRequest request;
  request.set_account("a");
  request.set_validate_only(true);
  v1::ResetUsageResponse response;
  EXPECT_TRUE(CallUnary(service_, request, &response).ok());
  EXPECT_EQ(response.associations(), 3);
  RecalculateAt(Hour(4));
  ExpectClose(UsageOf("a", "amy"), amy);
}

TEST(ResetUsageOnTheRealClockTest, ItIsOfNow) {
  TestService service;
  Import(service, SmallSite());
  service.SetNow(Hour(1));
  v1::ResetUsageRequest request;
  request.set_account("root");
  v1::ResetUsageResponse response;
  ASSERT_TRUE(CallUnary(service, request, &response).ok());
  EXPECT_EQ(response.reset_at().seconds(), absl::ToUnixSeconds(Hour(1)));
}

TEST(ResetUsageOnAManualClockTest, AClockThatWasNeverSetHasNoMomentForIt) {
  TestService service;
  Import(service, SmallSite("Clock=manual\n"));
  v1::ResetUsageRequest request;
  request.set_account("root");
  v1::ResetUsageResponse response;
  EXPECT_EQ(DetailsOf(CallUnary(service, request, &response)).reason, "NO_SNAPSHOT");
}

}  // namespace
}  // namespace priorityd::rpc
