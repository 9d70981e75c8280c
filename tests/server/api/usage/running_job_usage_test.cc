// Usage of running jobs by counters.
#include <gtest/gtest.h>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr char kAnHour[] = "PriorityDecayHalfLife=1:0:0\n";

class RunningJobUsageTest : public ::testing::Test {
 protected:
  RunningJobUsageTest() {
    Import(service_, SmallSite(kAnHour));
    service_.SetNow(TestEpoch() + absl::Hours(2));
  }

  // What amy's job, begun at TestEpoch(), has used after `seconds`.
  static v1::UsageRecord Beat(int seconds, double cpu_seconds) {
    v1::UsageRecord record = Usage("", TestEpoch(), absl::Seconds(seconds), 0);
    record.clear_tres();
    record.set_job_id("7");
    (*record.mutable_counters()->mutable_tres_seconds())["cpu"] = cpu_seconds;
    return record;
  }
  v1::RecordUsageResponse Send(std::initializer_list<v1::UsageRecord> records) {
    v1::RecordUsageRequest request;
    for (const v1::UsageRecord& record : records) *request.add_records() = record;
    return RecordUsage(service_, request);
  }
  v1::UsageRecordResult Send(const v1::UsageRecord& record) { return Send({record}).results(0); }
  double RawUsage(const std::string& user) {
    Recalculate(service_);
    return ShareOf(ListShares(service_), "a", user).raw_usage();
  }

  TestService service_;
};

TEST_F(RunningJobUsageTest, BeatsCountLikeTheRecordsOfTheirIntervals) {
  EXPECT_EQ(Send(Beat(60, 240)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Send({Beat(600, 1320), Beat(660, 1440)}).accepted(), 2);
  v1::UsageRecord first = Usage("1", TestEpoch(), absl::Seconds(60), 4);
  v1::UsageRecord second = Usage("2", TestEpoch() + absl::Seconds(60), absl::Seconds(600), 2);
  first.set_user("ben");
  second.set_user("ben");
  Send({first, second});
  EXPECT_NEAR(RawUsage("amy") / RawUsage("ben"), 1, 1e-9);
}

TEST_F(RunningJobUsageTest, ALostBeatLosesNothing) {
  Send(Beat(60, 240));
  Send(Beat(180, 720));  // That of 120 s was lost.
  v1::UsageRecord whole = Usage("1", TestEpoch(), absl::Seconds(180), 4);
  whole.set_user("ben");
  Send(whole);
  EXPECT_NEAR(RawUsage("amy") / RawUsage("ben"), 1, 1e-9);
}

TEST_F(RunningJobUsageTest, ARestartedCollectorThatSendsEverythingAgainCountsOnce) {
  Send({Beat(60, 240), Beat(120, 480)});
  const double once = RawUsage("amy");
  EXPECT_EQ(Send({Beat(60, 240), Beat(120, 480)}).duplicates(), 2);
  EXPECT_EQ(Send(Beat(90, 360)).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_EQ(RawUsage("amy"), once);
}

TEST_F(RunningJobUsageTest, CountersOfAUserWhoHasGoneSinceAreStillDuplicates) {
  v1::UsageRecord beat = Beat(60, 240);
  beat.clear_account();
  EXPECT_EQ(Send(beat).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  RemoveAmy(service_, kAnHour);
  EXPECT_EQ(Send(beat).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  v1::UsageRecord next = Beat(120, 480);
  next.clear_account();
  EXPECT_EQ(Send(next).reason(), v1::REJECTION_REASON_UNKNOWN_ACCOUNT);
}

TEST_F(RunningJobUsageTest, FaultsAreRejectedAndChangeNothing) {
  Send(Beat(60, 240));
  const double before = RawUsage("amy");
  EXPECT_EQ(Send(Beat(120, 239)).reason(), v1::REJECTION_REASON_COUNTER_BACKWARDS);
  v1::UsageRecord overlap = Beat(120, 480);
  *overlap.mutable_start_time() = ToTimestamp(TestEpoch() + absl::Seconds(30));
  EXPECT_EQ(Send(overlap).reason(), v1::REJECTION_REASON_OVERLAP);
  v1::UsageRecord nobody = Beat(120, 480);
  nobody.set_user("nobody");
  EXPECT_EQ(Send(nobody).reason(), v1::REJECTION_REASON_UNKNOWN_USER);
  v1::UsageRecord no_job = Beat(120, 480);
  no_job.clear_job_id();
  EXPECT_EQ(Send(no_job).reason(), v1::REJECTION_REASON_MISSING_FIELD);
  v1::UsageRecord both = Beat(120, 480);
  both.set_billing(1);
  EXPECT_EQ(Send(both).field(), "records[0].billing");
  v1::UsageRecord empty = Beat(120, 480);
  empty.mutable_counters()->clear_tres_seconds();
  EXPECT_EQ(Send(empty).reason(), v1::REJECTION_REASON_NO_AMOUNT);
  EXPECT_EQ(RawUsage("amy"), before);
  EXPECT_EQ(Send(Beat(120, 480)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

TEST_F(RunningJobUsageTest, CountersThatCannotBeStoredDoNotFailTheOthers) {
  v1::UsageRecord nul = Beat(60, 240);
  (*nul.mutable_counters()->mutable_tres_seconds())[std::string("gres/\0", 6)] = 1;
  v1::UsageRecord endless = Beat(60, 240);
  (*endless.mutable_counters()->mutable_tres_seconds())["gres/" + std::string(10'000, 'g')] = 1;
  const v1::RecordUsageResponse response = Send({nul, endless, Beat(60, 240)});
  EXPECT_EQ(response.results(0).reason(), v1::REJECTION_REASON_INVALID_TEXT);
  EXPECT_EQ(response.results(0).field(), "records[0].counters.tres_seconds[\"gres/\\x00\"]");
  EXPECT_EQ(response.results(1).reason(), v1::REJECTION_REASON_INVALID_TEXT);
  EXPECT_EQ(response.accepted(), 1);
}

TEST_F(RunningJobUsageTest, RecordIdsOfIntervalsAreReserved) {
  EXPECT_EQ(Send(Usage("counters:7:1", TestEpoch(), absl::Seconds(1), 1)).reason(),
            v1::REJECTION_REASON_INVALID_TEXT);
}

TEST_F(RunningJobUsageTest, BillingSecondsAreCountersToo) {
  v1::UsageRecord beat = Beat(100, 400);
  beat.mutable_counters()->set_billing_seconds(800);
  v1::UsageRecord record = Usage("1", TestEpoch(), absl::Seconds(100), 4);
  record.set_billing(8);
  record.set_user("ben");
  Send({beat, record});
  EXPECT_NEAR(RawUsage("amy") / RawUsage("ben"), 1, 1e-9);
}

}  // namespace
}  // namespace priorityd::rpc
