// The time is the database's, however wrong the clock of a replica's host is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/replica.h"
#include "server/usage/roll_up.h"
#include "storage/database/database.h"
#include "tests/await.h"
#include "tests/server/service/health.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Duration kFarAhead = absl::Hours(24 * 400);
// More than a test takes.
constexpr absl::Duration kNear = absl::Minutes(5);

TestService::Options HostAhead(absl::Duration ahead, const std::string& database_url = "") {
  TestService::Options options;
  options.database_url = database_url;
  options.follows_database = true;
  options.host_is_ahead = ahead;
  return options;
}

// One that leads though its host's clock is wrong.
TestService::Options LeaderAhead(absl::Duration ahead) {
  TestService::Options options = HostAhead(ahead);
  options.max_clock_offset = absl::InfiniteDuration();
  return options;
}

v1::UsageRecordResult Record(TestService& service, const std::string& id, absl::Time end) {
  v1::RecordUsageRequest request;
  *request.add_records() = Usage(id, end - absl::Minutes(1), absl::Minutes(1), 1);
  return RecordUsage(service, request).results(0);
}

absl::Time ComputedAt(const v1::Snapshot& snapshot) {
  return absl::FromUnixSeconds(snapshot.computed_at().seconds());
}

TEST(DatabaseTimeTest, ALeader400DaysAheadDoesNoDamage) {
  TestService service(LeaderAhead(kFarAhead));
  Import(service, SmallSite("PurgeJobAfter=12months\n"));
  EXPECT_EQ(Record(service, "old", absl::Now() - absl::Hours(24 * 60)).status(),
            v1::USAGE_RECORD_STATUS_ACCEPTED);
  const absl::Time computed_at = ComputedAt(Recalculate(service));
  EXPECT_LT(absl::AbsDuration(computed_at - absl::Now()), kNear);
  const auto rolled_up = usage::RollUp(service.database(), {.cluster = "c"}, [] { return true; });
  ASSERT_TRUE(rolled_up.ok()) << rolled_up.status();
  EXPECT_LT(rolled_up->horizon, absl::Now() - absl::Hours(24 * 360));
  EXPECT_EQ(rolled_up->records, 0);
  EXPECT_EQ(Record(service, "live", absl::Now()).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

TEST(DatabaseTimeTest, AReplicaTenMinutesSlowTakesLiveUsage) {
  TestService service(HostAhead(-absl::Minutes(10)));
  TestService leader(HostAhead(absl::ZeroDuration(), service.database_url()));
  Import(service, SmallSite());
  EXPECT_EQ(Record(service, "live", absl::Now()).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

TEST(DatabaseTimeTest, AReplicaFarAheadRefusesUsageOfTheFuture) {
  TestService service(LeaderAhead(kFarAhead));
  Import(service, SmallSite());
  const v1::UsageRecordResult result = Record(service, "early", absl::Now() + absl::Hours(1));
  EXPECT_EQ(result.status(), v1::USAGE_RECORD_STATUS_REJECTED);
  EXPECT_EQ(result.reason(), v1::REJECTION_REASON_END_IN_FUTURE);
}

TEST(DatabaseTimeTest, AResetIsOfTheDatabasesTime) {
  TestService service(LeaderAhead(kFarAhead));
  Import(service, SmallSite());
  v1::ResetUsageRequest request;
  request.set_account("root");
  v1::ResetUsageResponse response;
  ASSERT_TRUE(CallUnary(service, request, &response).ok());
  EXPECT_LT(absl::AbsDuration(absl::FromUnixSeconds(response.reset_at().seconds()) - absl::Now()),
            kNear);
}

TEST(DatabaseTimeTest, AReplicaWhoseClockIsOffDoesNotLeadAndSaysSo) {
  auto leader = std::make_unique<TestService>(HostAhead(absl::ZeroDuration()));
  Import(*leader, SmallSite());
  TestService off(HostAhead(-absl::Minutes(10), leader->database_url()));
  TestService on(HostAhead(absl::Seconds(5), leader->database_url()));
  leader.reset();
  EXPECT_TRUE(Await([&] { return on.loop().leads(); }));
  EXPECT_FALSE(off.loop().leads());
  off.UpdateHealth();
  EXPECT_EQ(CheckHealth(off.channel(), kClockHealth), kNotServing);
  EXPECT_EQ(CheckHealth(off.channel(), ""), kServing);
  on.UpdateHealth();
  EXPECT_EQ(CheckHealth(on.channel(), kClockHealth), kServing);
  // What it answers is right all the same.
  EXPECT_LT(absl::AbsDuration(ComputedAt(Recalculate(off)) - absl::Now()), kNear);
}

TEST(DatabaseTimeTest, ALeaderWhoseClockIsSetWronglyHandsTheLeadershipOver) {
  TestService first(HostAhead(absl::ZeroDuration()));
  Import(first, SmallSite());
  TestService second(HostAhead(absl::ZeroDuration(), first.database_url()));
  ASSERT_TRUE(first.loop().leads());
  first.SetHostIsAhead(kFarAhead);
  EXPECT_TRUE(Await([&] { return second.loop().leads(); }));
  EXPECT_TRUE(Await([&] { return !first.loop().leads(); }));
  first.SetHostIsAhead(absl::ZeroDuration());
  EXPECT_TRUE(Await([&] { return first.loop().clock_agrees(); }));
}

// A policy's new half-life holds from the newest end of any record on, so a record of the
// future puts it off by what such a record may be ahead, and no more.
TEST(DatabaseTimeTest, ARecordOfTheFuturePutsAHalfLifeOffByAMinuteAtMost) {
  TestService service;
  Import(service, SmallSite("PriorityDecayHalfLife=2:0:0\n"));
  Recalculate(service);
  EXPECT_EQ(Record(service, "r1", TestEpoch() + absl::Seconds(60)).status(),
            v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Record(service, "r2", TestEpoch() + absl::Seconds(61)).status(),
            v1::USAGE_RECORD_STATUS_REJECTED);
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityDecayHalfLife=5:0:0\n");
  ApplyPolicy(service, policy);
  Recalculate(service);
  const auto begins = service.database().Read([](storage::Transaction& transaction) {
    return transaction.QueryOne(storage::OnlyColumn<absl::Time>,
                                "SELECT max(effective_at) FROM priorityd.half_life");
  });
  ASSERT_TRUE(begins.ok()) << begins.status();
  EXPECT_EQ(*begins, TestEpoch() + absl::Seconds(60));
}

TEST(DatabaseTimeTest, ASnapshotOfTheFutureMovesTheHorizonNoFurtherThanNow) {
  TestService service;
  Import(service, SmallSite("TimeZone=UTC\nPurgeJobAfter=48hours\n"));
  service.SetNow(TestEpoch() + absl::Hours(1000));
  Recalculate(service);
  const auto result =
      usage::RollUp(service.database(), {.cluster = "c", .now = TestEpoch()}, [] { return true; });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->horizon, TestEpoch() - absl::Hours(48));
}

// As if the database's clock had been `ahead` at the last recalculation.
void PutSnapshotAhead(TestService& service, absl::Duration ahead) {
  const auto changed = service.database().Write([&](storage::Transaction& transaction) {
    return transaction.Execute(
        "UPDATE priorityd.snapshot SET computed_at = clock_timestamp() + make_interval(secs => $1)",
        {absl::ToDoubleSeconds(ahead)});
  });
  ASSERT_TRUE(changed.ok()) << changed.status();
  Recalculate(service);
}

double UsageOfAmy(TestService& service) {
  return ShareOf(ListShares(service), "a", "amy").raw_usage();
}

std::vector<std::string> NeededActions(TestService& service) {
  v1::GetStatusResponse status;
  EXPECT_TRUE(CallUnary(service, v1::GetStatusRequest(), &status).ok());
  std::vector<std::string> reasons;
  for (const v1::StatusWarning& warning : status.warnings()) {
    if (warning.needs_action()) reasons.push_back(warning.reason());
  }
  return reasons;
}

grpc::Status ForgetFuture(TestService& service, v1::Snapshot* snapshot) {
  v1::RecalculateRequest request;
  request.set_forget_future(true);
  return CallUnary(service, request, snapshot);
}

TEST(DatabaseTimeTest, ASnapshotOfTheFutureIsReportedAndAnOperatorTakesItBack) {
  TestService service(HostAhead(absl::ZeroDuration()));
  Import(service, SmallSite("PriorityDecayHalfLife=7-0\n"));
  // Its end is in the past by any estimate of the database's time.
  const auto ended = [] { return absl::Now() - absl::Seconds(30); };
  EXPECT_EQ(Record(service, "before", ended()).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  Recalculate(service);
  const double before = UsageOfAmy(service);
  EXPECT_NEAR(before, 60, 0.1);
  EXPECT_THAT(NeededActions(service), IsEmpty());
  PutSnapshotAhead(service, kFarAhead);
  EXPECT_LT(UsageOfAmy(service), 1e-6);
  EXPECT_THAT(NeededActions(service), ElementsAre("SNAPSHOT_IN_FUTURE"));
  EXPECT_EQ(Record(service, "meanwhile", ended()).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  v1::Snapshot snapshot;
  const grpc::Status forgotten = ForgetFuture(service, &snapshot);
  ASSERT_TRUE(forgotten.ok()) << forgotten.error_message();
  EXPECT_LT(absl::AbsDuration(ComputedAt(snapshot) - absl::Now()), kNear);
  EXPECT_NEAR(UsageOfAmy(service), before + 60, 0.2);
  EXPECT_THAT(NeededActions(service), IsEmpty());
}

TEST(DatabaseTimeTest, OnlyASnapshotOfTheFutureIsRolledBack) {
  TestService service(HostAhead(absl::ZeroDuration()));
  Import(service, SmallSite());
  Recalculate(service);
  v1::Snapshot snapshot;
  const grpc::Status refused = ForgetFuture(service, &snapshot);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("forget_future: got one of "));
}

TEST(DatabaseTimeTest, AHalfLifeThatWasSetInTheFutureHoldsFromNowOn) {
  TestService service(HostAhead(absl::ZeroDuration()));
  Import(service, SmallSite("PriorityDecayHalfLife=7-0\n"));
  Recalculate(service);
  PutSnapshotAhead(service, kFarAhead);
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityDecayHalfLife=2-0\n");
  ApplyPolicy(service, policy);
  Recalculate(service);
  v1::Snapshot snapshot;
  ASSERT_TRUE(ForgetFuture(service, &snapshot).ok());
  const auto begins = service.database().Read([](storage::Transaction& transaction) {
    return transaction.QueryOne(storage::OnlyColumn<absl::Time>,
                                "SELECT max(effective_at) FROM priorityd.half_life "
                                "WHERE half_life_seconds = 2 * 86400");
  });
  ASSERT_TRUE(begins.ok()) << begins.status();
  EXPECT_LT(absl::AbsDuration(*begins - absl::Now()), kNear);
}

}  // namespace
}  // namespace priorityd::rpc
