#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/time/clock.h"
#include "server/recalculation/recalculation_loop.h"
#include "tests/await.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

v1::RecalculateRequest At(absl::Time time) {
  v1::RecalculateRequest request;
  *request.mutable_as_of() = ToTimestamp(time);
  return request;
}

// Waits until the newest snapshot is of this generation.
bool AwaitGeneration(TestService& service, int64_t generation) {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (absl::Now() < deadline) {
    if (ListShares(service).snapshot().generation() == generation) return true;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return false;
}

TEST(RealClockTest, RecalculatesEveryCalcPeriod) {
  TestService service;
  Import(service, SmallSite("PriorityCalcPeriod=2\n"));
  EXPECT_EQ(ListShares(service).snapshot().generation(), 1);
  service.SetNow(TestEpoch() + absl::Minutes(2));
  ASSERT_TRUE(AwaitGeneration(service, 2));
  EXPECT_EQ(ListShares(service).snapshot().computed_at().seconds(),
            absl::ToUnixSeconds(TestEpoch() + absl::Minutes(2)));
}

TEST(RealClockTest, ALateRecalculationDoesNotShiftTheSchedule) {
  TestService service;
  Import(service, SmallSite());
  service.SetNow(TestEpoch() + absl::Minutes(7));
  ASSERT_TRUE(AwaitGeneration(service, 2));
  EXPECT_TRUE(Await([&] { return service.loop().DueAt("c") == TestEpoch() + absl::Minutes(10); }));
  EXPECT_EQ(recalculation::NextDue(TestEpoch(), absl::Minutes(5), TestEpoch() + absl::Minutes(5)),
            TestEpoch() + absl::Minutes(10));
}

TEST(RealClockTest, TimeNeverGoesBack) {
  TestService service;
  Import(service, SmallSite());
  service.SetNow(TestEpoch() - absl::Hours(1));
  EXPECT_EQ(Recalculate(service).computed_at().seconds(), absl::ToUnixSeconds(TestEpoch()));
}

TEST(RealClockTest, AsOfIsRefused) {
  TestService service;
  Import(service, SmallSite());
  grpc::Status status;
  Recalculate(service, At(TestEpoch()), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status).reason, "CLOCK_IS_REAL");
}

TEST(RealClockTest, AServiceThatStartsServesWhatTheLastOneLeft) {
  TestService first;
  v1::ImportRequest request = SmallSite();
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||100\n", &request);
  Import(first, request);
  TestService second({.database_url = first.database_url(), .limits = {}});
  EXPECT_DOUBLE_EQ(ShareOf(ListShares(second), "a", "amy").raw_usage(), 100);
  EXPECT_EQ(ListShares(second).snapshot().generation(), 1);
}

class ManualClockTest : public ::testing::Test {
 protected:
  ManualClockTest() {
    takes_effect_ = Import(service_, SmallSite("Clock=manual\nPriorityDecayHalfLife=1:0:0\n"))
                        .has_takes_effect_at();
  }

  TestService service_;
  bool takes_effect_;
  grpc::Status status_;
};

TEST_F(ManualClockTest, NothingRunsByItself) {
  EXPECT_FALSE(takes_effect_);
  ListShares(service_, {}, &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status_).reason, "NO_SNAPSHOT");
  EXPECT_EQ(service_.loop().DueAt("c"), std::nullopt);
}

TEST_F(ManualClockTest, TheFirstRecalculationNeedsATime) {
  Recalculate(service_, {}, &status_);
  EXPECT_EQ(DetailsOf(status_).reason, "AS_OF_NEEDED");
}

TEST_F(ManualClockTest, TimeIsSetAndNeverGoesBack) {
  const absl::Time past = TestEpoch() - absl::Hours(24 * 365);
  EXPECT_EQ(Recalculate(service_, At(past)).computed_at().seconds(), absl::ToUnixSeconds(past));
  EXPECT_EQ(Recalculate(service_).computed_at().seconds(), absl::ToUnixSeconds(past));
  Recalculate(service_, At(past - absl::Seconds(1)), &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status_).reason, "TIME_GOES_BACK");
}

TEST_F(ManualClockTest, TimeGoesToTheYear9000WithGrantsToo) {
  Recalculate(service_, At(TestEpoch()));
  v1::UpdateGrantsRequest grant;
  grant.add_names("g");
  grant.set_allow_missing(true);
  AddSettings({"Accounts=a", "TRES=cpu", "Amount=100h", "Window=year"}, &grant);
  AnswerTo<v1::ChangeResponse>(service_, grant);
  const absl::Time most = absl::FromCivil(absl::CivilDay(9000, 1, 1), absl::UTCTimeZone());
  for (const absl::Duration beyond : {absl::Nanoseconds(1), absl::Hours(24 * 365 * 999)}) {
    Recalculate(service_, At(most + beyond), &status_);
    EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status_.error_message(), ::testing::StartsWith("as_of: got 9"));
    EXPECT_THAT(status_.error_message(), ::testing::EndsWith("at most 9000-01-01T00:00:00+00:00"));
  }
  EXPECT_EQ(Recalculate(service_, At(most)).computed_at().seconds(), absl::ToUnixSeconds(most));
}

TEST_F(ManualClockTest, UsageOfTheFutureIsTakenAndRankingStandsStill) {
  const absl::Time start = TestEpoch() + absl::Hours(1000);
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("r", start, absl::Hours(1), 1);
  EXPECT_EQ(RecordUsage(service_, usage).accepted(), 1);
  Recalculate(service_, At(start + absl::Hours(2)));
  v1::RankJobsRequest jobs;
  jobs.mutable_jobs();
  EXPECT_EQ(RankJobs(service_, jobs).as_of().seconds(),
            absl::ToUnixSeconds(start + absl::Hours(2)));
}

TEST_F(ManualClockTest, OnlyWhatWasUsedUntilThenCounts) {
  const absl::Time start = TestEpoch();
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("straddles", start, absl::Hours(2), 3);
  *usage.add_records() = Usage("later", start + absl::Hours(1), absl::Minutes(10), 5);
  RecordUsage(service_, usage);
  Recalculate(service_, At(start + absl::Hours(1)));
  // One half-life of 3 CPUs: 3 * HL/ln2 * (1 - 1/2).
  const double hour = 3 * 3600 / std::log(2) / 2;
  EXPECT_NEAR(ShareOf(ListShares(service_), "a", "amy").raw_usage() / hour, 1, 1e-9);
  EXPECT_NEAR(ShareOf(ListShares(service_), "a", "amy").tres_usage().at("cpu") / hour, 1, 1e-9);
}

TEST_F(ManualClockTest, AWholeTraceMayBeRecordedAheadOfTime) {
  const absl::Time start = TestEpoch();
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("first", start, absl::Hours(1), 3);
  // Thousands of half-lives later: nothing of the first is left in the row.
  *usage.add_records() = Usage("last", start + absl::Hours(5000), absl::Hours(1), 3);
  RecordUsage(service_, usage);
  Recalculate(service_, At(start + absl::Hours(1)));
  const double hour = 3 * 3600 / std::log(2) / 2;
  EXPECT_NEAR(ShareOf(ListShares(service_), "a", "amy").raw_usage() / hour, 1, 1e-9);
  Recalculate(service_, At(start + absl::Hours(5001)));
  EXPECT_NEAR(ShareOf(ListShares(service_), "a", "amy").raw_usage() / hour, 1, 1e-9);
}

}  // namespace
}  // namespace priorityd::rpc
