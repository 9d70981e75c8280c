// What running and waiting jobs cost grants of money, their transfers and their events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "tests/server/api/grants/priced_fixture.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using PricedJobsTest = PricedGrantsTest;

// Over nights and days, a weekend and into other prices, in two partitions and under two QOS. What
// jobs may still cost and what is used add up to the same until the jobs have ended.
TEST_F(PricedJobsTest, WhatRunningJobsMayStillCostIsThePriceOfTheirRecordsToTheLastDigit) {
  ImportBooks(kFirst);
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=1000000", "Begin=2026-01-05T00:00:00Z"});
  std::vector<Priced> runs = {
      {.id = "1", .user = "amy", .partition = "big", .qos = "normal", .cpus = 17},
      {.id = "2", .user = "amy", .partition = "p", .qos = "double", .cpus = 3, .carbon = 2},
      {.id = "3", .user = "ben", .partition = "p", .qos = "normal", .cpus = 7, .energy = 12345},
      {.id = "4", .user = "cat", .partition = "p", .qos = "normal", .cpus = 100}};
  std::vector<v1::Job> jobs;
  for (size_t i = 0; i < runs.size(); ++i) {
    Priced& run = runs[i];
    run.start = absl::ToUnixSeconds(Hour(0)) + 1801 * static_cast<int64_t>(i);
    run.end = run.start + 86400 * 3 * static_cast<int64_t>(i + 1) + 77;
    jobs.push_back(RunningJob(run));
  }
  UpdateJobs(service_, Upserts(jobs));
  RecalculateAt(Hour(4));
  const int64_t first = absl::ToUnixSeconds(Hour(0));
  const int64_t last = first + 86400 * 100;
  const grants::Amount whole = NaiveUsed(runs, "a", first, last, false);
  EXPECT_EQ(OneGrant("g").running_tres_seconds(), whole.ToDecimal());
  EXPECT_EQ(OneGrant("g").running_minutes(), whole.minutes());
  EXPECT_EQ(OneGrant("g").currency(), "EUR");
  std::vector<Priced> begun = runs;
  for (Priced& run : begun) {
    run.end = absl::ToUnixSeconds(Hour(3));
    run.job = run.id;
    Send(run);
  }
  RecalculateAt(Hour(5));
  const grants::Amount used = NaiveUsed(begun, "a", first, last, false);
  EXPECT_EQ(OneGrant("g").balance().used_tres_seconds(), used.ToDecimal());
  EXPECT_EQ(OneGrant("g").running_tres_seconds(), (whole - used).ToDecimal());
  for (const Priced& run : runs) {
    Priced rest = run;
    rest.id = run.id + "-rest";
    rest.job = run.id;
    rest.start = absl::ToUnixSeconds(Hour(3));
    Send(rest);
    UpdateJobs(service_, Removal(run.id));
  }
  RecalculateAt(absl::FromUnixSeconds(last));
  EXPECT_EQ(OneGrant("g").running_tres_seconds(), "0");
  EXPECT_EQ(OneGrant("g").balance().used_tres_seconds(), whole.ToDecimal());
}

TEST_F(PricedJobsTest, WhatAJobCostsIsThePriceOfItsWholeTimeLimitFromNow) {
  ImportBooks(kFirst);
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  RecalculateAt(Hour(2));
  Priced run{.id = "1", .user = "amy", .partition = "p", .qos = "normal", .cpus = 7};
  run.start = absl::ToUnixSeconds(Hour(2));
  run.end = run.start + 40 * 3600 + 1;
  v1::EstimateJobCostRequest request;
  v1::Job* const job = request.mutable_jobs()->add_jobs();
  *job = RunningJob(run);
  job->set_state(v1::JOB_STATE_PENDING);
  job->clear_start_time();
  const auto costs = Called<v1::EstimateJobCostResponse>(request, nullptr);
  ASSERT_EQ(costs.costs_size(), 1);
  ASSERT_EQ(costs.costs(0).prices_size(), 1);
  EXPECT_EQ(costs.costs(0).prices(0).tres(), "price/eur");
  EXPECT_EQ(costs.costs(0).prices(0).currency(), "EUR");
  EXPECT_EQ(costs.costs(0).prices(0).tres_seconds(),
            NaiveUsed({run}, "a", run.start, run.end, false).ToDecimal());
  EXPECT_THAT(costs.costs(0).sentences(),
              testing::Contains("It costs 4.58 EUR by price/eur, if it starts at "
                                "2026-01-05T02:00:00+00:00."));
}

TEST_F(PricedJobsTest, TheStartOfAPriceIsInTheZoneOfThePolicy) {
  Apply("TimeZone=Europe/Berlin\nNodeName=n1 CPUs=1000\nPartitionName=p Nodes=n1 Default=YES\n");
  ImportBooks(kSecond);
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  RecalculateAt(ParsedTime("2026-07-01T10:00:00Z"));
  v1::EstimateJobCostRequest request;
  *request.mutable_jobs()->add_jobs() = JobOf("1", "amy");
  request.mutable_jobs()->mutable_jobs(0)->mutable_time_limit()->set_seconds(3600);
  const auto costs = Called<v1::EstimateJobCostResponse>(request, nullptr);
  ASSERT_EQ(costs.costs_size(), 1);
  EXPECT_THAT(costs.costs(0).sentences(),
              testing::Contains(HasSubstr("if it starts at 2026-07-01T12:00:00+02:00.")));
}

// By night and day, in two partitions; the rest of the running job counts from the end of its
// record on, in the service that recalculates and in one that reads its snapshot.
TEST_F(PricedJobsTest, UnderSafeABlockCountsWhatRunningJobsAndTheJobItselfCost) {
  Apply(
      "PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\nAccountingStorageEnforce=safe\n"
      "NodeName=n1 CPUs=1000\nPartitionName=p Nodes=n1 Default=YES\nPartitionName=big Nodes=n1\n");
  ImportBooks(kFirst);
  Priced runs{.id = "0", .user = "ben", .partition = "big", .qos = "double", .cpus = 17};
  runs.start = absl::ToUnixSeconds(Hour(0));
  runs.end = runs.start + 50 * 3600 + 77;
  Priced recorded = runs;
  recorded.end = absl::ToUnixSeconds(Hour(3));
  recorded.job = runs.id;
  Priced waits{.id = "1", .user = "amy", .partition = "p", .qos = "normal", .cpus = 7};
  waits.start = absl::ToUnixSeconds(Hour(4));
  waits.end = waits.start + 30 * 3600 + 13;
  const grants::Amount whole =
      NaiveUsed({runs, waits}, "a", runs.start, waits.end + 86400 * 9, false);
  const auto amount = [&](const char* more) {
    return absl::StrCat("Amount=",
                        ((whole + *grants::Amount::FromDecimal(more)) / 3600).ToDecimal());
  };
  const auto reason = [&](TestService& service) {
    v1::RankJobsRequest request;
    *request.mutable_jobs()->add_jobs() = RunningJob(runs);
    v1::Job& job = *request.mutable_jobs()->add_jobs();
    job = RunningJob(waits);
    job.set_state(v1::JOB_STATE_PENDING);
    job.clear_start_time();
    const v1::RankJobsResponse ranked = RankJobs(service, request);
    return ranked.ineligible().empty() ? "" : ranked.ineligible(0).message();
  };
  UpdateJobs(service_, Upserts({RunningJob(runs)}));
  Grant("g", {"Accounts=a", "TRES=price/eur", amount("0"), "Begin=2026-01-05T00:00:00Z",
              "Consequence=block"});
  Send(recorded);
  RecalculateAt(Hour(4));
  EXPECT_EQ(reason(service_), "");
  Grant("g", {amount("-1")});
  RecalculateAt(Hour(4));
  EXPECT_THAT(reason(service_), HasSubstr("grant g of account a leaves "));
  EXPECT_THAT(reason(service_), HasSubstr(" EUR by price/eur: "));
  TestService other({.database_url = service_.database_url()});
  EXPECT_EQ(reason(other), reason(service_));
}

// A double has 16 digits, of 72 billion TRES-seconds 5 behind the point.
TEST_F(PricedJobsTest, ATransferMovesMoneyToTheLastDigit) {
  ImportBooks(kFirst);
  for (const char* name : {"g", "h"}) {
    Grant(name, {absl::StrCat("Accounts=", name[0] == 'g' ? "a" : "b"), "TRES=price/eur",
                 "Amount=30000000", "Begin=2026-01-05T00:00:00Z"});
  }
  v1::TransferGrantRequest request;
  request.set_from("g");
  request.set_to("h");
  request.set_amount_tres_seconds("72000000000.0000000000036");
  const v1::ChangeResponse moved = Changed(request, nullptr);
  ASSERT_EQ(moved.changes_size(), 2);
  EXPECT_THAT(moved.changes(0).after(), HasSubstr("h: 20000000.000000000000001 EUR"));
  RecalculateAt(Hour(1));
  EXPECT_THAT(Left("g"), ElementsAre("9999999.999999999999999"));
  EXPECT_THAT(Left("h"), ElementsAre("50000000.000000000000001"));
  grpc::Status status;
  Changed(request, &status);
  EXPECT_THAT(status.error_message(),
              HasSubstr("amount_tres_seconds: got 20000000.000000000000001 EUR, want at most the "
                        "9999999.999999999999999 EUR that are left of grant g"));
  for (const char* faulty : {"0", "-1", "1h", "1e3"}) {
    request.set_amount_tres_seconds(faulty);
    Changed(request, &status);
    EXPECT_THAT(status.error_message(), HasSubstr("amount_tres_seconds: got ")) << faulty;
  }
  request.set_amount_tres_seconds("1");
  request.set_amount_minutes(1);
  Changed(request, &status);
  EXPECT_THAT(status.error_message(), HasSubstr("amount_minutes: got amount_tres_seconds too"));
}

TEST_F(PricedJobsTest, ASupposedTransferMovesMoneyAsTheRealOneDoes) {
  ImportBooks(kFirst);
  for (const char* name : {"g", "h"}) {
    Grant(name, {absl::StrCat("Accounts=", name[0] == 'g' ? "a" : "b"), "TRES=price/eur",
                 "Amount=4.5", "Begin=2026-01-05T00:00:00Z", "Consequence=warn"});
  }
  Run("1", 10, 20, 10);  // 10 CPUs by day for 9 hours, 1.809, and by night for 11, 1.243.
  RecalculateAt(Hour(30));
  v1::SimulateRequest supposed;
  supposed.mutable_tracked();
  v1::SupposedTransfer* const transfer = supposed.add_grant_transfers();
  transfer->set_from("g");
  transfer->set_to("h");
  transfer->set_amount_tres_seconds("5212.8");  // 1.448, which is all that is left.
  const auto simulate = [&](grpc::Status* status) {
    return Called<v1::SimulateResponse>(supposed, status);
  };
  const v1::SimulateResponse then = simulate(nullptr);
  ASSERT_EQ(then.grant_effects_size(), 2);
  EXPECT_FALSE(then.grant_effects(0).before().used_up());
  EXPECT_TRUE(then.grant_effects(0).after().used_up());
  EXPECT_THAT(then.grant_effects(1).after().text(),
              HasSubstr("not used up: 0 of 5.948 EUR by price/eur are used"));
  v1::TransferGrantRequest request;
  request.set_from("g");
  request.set_to("h");
  request.set_amount_tres_seconds("5212.8");
  Changed(request, nullptr);
  RecalculateAt(Hour(30));
  EXPECT_THAT(Left("g"), ElementsAre("0"));
  EXPECT_DOUBLE_EQ(then.grant_effects(1).after().available_minutes(),
                   OneGrant("h").balance().available_minutes());
  grpc::Status status;
  for (const char* faulty : {"0", "-1", "1h"}) {
    transfer->set_amount_tres_seconds(faulty);
    simulate(&status);
    EXPECT_THAT(status.error_message(), HasSubstr("grant_transfers[0].amount_tres_seconds: got "));
  }
  transfer->set_amount_tres_seconds("1");
  transfer->set_amount_minutes(1);
  simulate(&status);
  EXPECT_THAT(status.error_message(),
              HasSubstr("grant_transfers[0].amount_minutes: got amount_tres_seconds too"));
}

TEST_F(PricedJobsTest, AnEventOfMoneyHasItsCurrency) {
  ImportBooks(kFirst);
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=1", "Begin=2026-01-05T00:00:00Z"});
  Run("1", 10, 4, 10);  // 4 hours of 10 CPUs by day: 0.804.
  RecalculateAt(Hour(14));
  const auto events = Called<v1::ListBudgetEventsResponse>(v1::ListBudgetEventsRequest(), nullptr);
  ASSERT_EQ(events.events_size(), 2);
  EXPECT_EQ(events.events(1).percent(), 80);
  EXPECT_EQ(events.events(1).currency(), "EUR");
  EXPECT_DOUBLE_EQ(events.events(1).used_minutes() / 60, 0.804);
}

}  // namespace
}  // namespace priorityd::rpc
