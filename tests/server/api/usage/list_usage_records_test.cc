// The facts of records about their jobs, from RecordUsage to ListUsageRecords, on a real
// PostgreSQL.
#include "server/api/usage/list_usage_records.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/messages/convert_time.h"
#include "server/usage/expiry.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using Ids = std::vector<std::string>;

class ListUsageRecordsTest : public ::testing::Test {
 protected:
  ListUsageRecordsTest() {
    Import(service_, SmallSite("PriorityDecayHalfLife=1:0:0\n"));
    service_.SetNow(TestEpoch() + absl::Hours(9));
  }

  // Of job 7: an hour that begins so many hours after TestEpoch().
  static v1::UsageRecord Record(const std::string& id, int hour, const std::string& state = "") {
    v1::UsageRecord record = Usage(id, TestEpoch() + absl::Hours(hour), absl::Hours(1), 2);
    record.set_job_id("7");
    if (!state.empty()) record.mutable_job()->set_state(state);
    return record;
  }

  v1::UsageRecordResult Send(const v1::UsageRecord& record) {
    v1::RecordUsageRequest request;
    *request.add_records() = record;
    return RecordUsage(service_, request).results(0);
  }

  v1::ListUsageRecordsResponse List(const v1::ListUsageRecordsRequest& request = {},
                                    grpc::Status* status = nullptr) {
    return AnswerTo<v1::ListUsageRecordsResponse>(service_, request, status);
  }

  TestService service_;
};

TEST_F(ListUsageRecordsTest, FactsOfARecordAboutItsJobAreListed) {
  v1::UsageRecord record = Record("1", 1, "OUT_OF_MEMORY");
  v1::JobAccounting& job = *record.mutable_job();
  job.set_exit_code(0);
  job.set_exit_signal(125);
  *job.mutable_submit_time() = ToTimestamp(TestEpoch() - absl::Microseconds(1));
  *job.mutable_eligible_time() = ToTimestamp(TestEpoch());
  *job.mutable_start_time() = ToTimestamp(TestEpoch() + absl::Minutes(30));
  *job.mutable_end_time() = ToTimestamp(TestEpoch() + absl::Hours(3));
  job.mutable_time_limit()->set_seconds(7200);
  job.mutable_total_cpu()->set_seconds(90);
  job.mutable_total_cpu()->set_nanos(500'000'000);
  job.set_max_rss(123.25);
  job.set_req_cpus(1);
  job.set_req_mem(4096);
  job.set_node_list("n[1-2]");
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  const auto answer = List();
  ASSERT_EQ(answer.records_size(), 1);
  const v1::LedgerRecord& row = answer.records(0);
  EXPECT_EQ(row.record().SerializeAsString(), record.SerializeAsString()) << row.DebugString();
  EXPECT_EQ(row.account(), "a");
  EXPECT_EQ(row.billing(), 2);
  EXPECT_EQ(answer.cluster(), "c");
}

TEST_F(ListUsageRecordsTest, WhatCannotBeIsRejectedByItsFieldAndNothingOfItIsWritten) {
  v1::UsageRecord record = Record("1", 1);
  *record.mutable_job()->mutable_submit_time() = ToTimestamp(TestEpoch() + absl::Hours(2));
  const v1::UsageRecordResult result = Send(record);
  EXPECT_EQ(result.reason(), v1::REJECTION_REASON_OUT_OF_RANGE);
  EXPECT_EQ(result.field(), "records[0].job.submit_time");
  EXPECT_EQ(List().records_size(), 0);
}

TEST_F(ListUsageRecordsTest, TheSameRecordWithOtherWordsIsADuplicateAndTheFirstOnesStay) {
  Send(Record("1", 1, "COMPLETED"));
  Send(Record("2", 2));
  EXPECT_EQ(Send(Record("1", 1, "FAILED")).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_EQ(Send(Record("2", 2, "FAILED")).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  const auto answer = List();
  ASSERT_EQ(answer.records_size(), 2);
  EXPECT_EQ(answer.records(0).record().job().state(), "COMPLETED");
  EXPECT_FALSE(answer.records(1).record().has_job());
}

TEST_F(ListUsageRecordsTest, FactsOfACorrectionReplaceThoseOfTheRecord) {
  Send(Record("1", 1, "COMPLETED"));
  v1::UsageRecord correction = Record("2", 1, "FAILED");
  correction.set_replaces_record_id("1");
  Send(correction);
  v1::ListUsageRecordsRequest request;
  request.add_job_ids("7");
  request.set_with_job(true);
  const auto answer = List(request);
  ASSERT_EQ(answer.records_size(), 1);
  EXPECT_EQ(answer.records(0).record().job().state(), "FAILED");
}

TEST_F(ListUsageRecordsTest, CountersDescribeTheRunFromItsStartToTheirReading) {
  const auto beat = [](int minutes, const char* state) {
    v1::UsageRecord record = Record("", 0, state);
    record.clear_tres();
    *record.mutable_end_time() = ToTimestamp(TestEpoch() + absl::Minutes(minutes));
    (*record.mutable_counters()->mutable_tres_seconds())["cpu"] = minutes * 120;
    return record;
  };
  Send(beat(10, "RUNNING"));
  Send(beat(10, "COMPLETED"));  // Not a later one: a duplicate.
  Send(beat(30, "COMPLETED"));
  const auto answer = List();
  ASSERT_EQ(answer.records_size(), 2);
  EXPECT_EQ(answer.records(0).record().job().state(), "RUNNING");
  const v1::UsageRecord& last = answer.records(1).record();
  EXPECT_EQ(last.job().state(), "COMPLETED");
  EXPECT_EQ(ToTime(last.start_time()), TestEpoch() + absl::Minutes(10));
  EXPECT_EQ(ToTime(last.job().start_time()), TestEpoch());
  EXPECT_EQ(ToTime(last.job().end_time()), TestEpoch() + absl::Minutes(30));
}

TEST_F(ListUsageRecordsTest, PagesHaveEachRecordOnceAlsoThoseThatEndTogether) {
  Ids want;
  for (int i = 0; i < 25; ++i) {
    want.push_back(absl::StrCat("r", i));
    Send(Record(want.back(), 1 + i / 10));
  }
  v1::ListUsageRecordsRequest request;
  request.set_page_size(4);
  Ids got;
  do {
    const auto page = List(request);
    EXPECT_LE(page.records_size(), 4);
    for (const auto& row : page.records()) got.push_back(row.record().record_id());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(got, want);
}

TEST_F(ListUsageRecordsTest, ATokenOfAnotherRequestIsRefused) {
  Send(Record("1", 1));
  Send(Record("2", 2));
  v1::ListUsageRecordsRequest request;
  request.set_page_size(1);
  request.set_page_token(List(request).next_page_token());
  request.set_with_job(true);
  grpc::Status status;
  List(request, &status);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
}

// Each record has the longest list of nodes; 10,000 of them would be 320 MB.
TEST_F(ListUsageRecordsTest, APageEndsWhereItsBytesAreTooMany) {
  v1::RecordUsageRequest request;
  for (int i = 0; i < 1200; ++i) {
    v1::UsageRecord& record = *request.add_records();
    record = Record(absl::StrCat("r", i), 1);
    record.mutable_job()->set_node_list(std::string(32 << 10, 'n'));
  }
  ASSERT_EQ(RecordUsage(service_, request).accepted(), 1200);
  v1::ListUsageRecordsRequest list;
  list.set_page_size(10'000);
  const auto page = List(list);
  EXPECT_GE(page.records_size(), 1000);
  EXPECT_LT(page.records_size(), 1100);
  list.set_page_token(page.next_page_token());
  EXPECT_EQ(List(list).records_size(), 1200 - page.records_size());
}

TEST_F(ListUsageRecordsTest, RolledUpRecordsHaveNoFacts) {
  Send(Record("1", 1, "COMPLETED"));
  Send(Record("2", 3, "FAILED"));
  Recalculate(service_);
  ASSERT_TRUE(service_.database()
                  .Write([](storage::Transaction& t) {
                    return t
                        .Execute("UPDATE priorityd.cluster SET ledger_horizon = $1",
                                 {TestEpoch() + absl::Hours(3)})
                        .status();
                  })
                  .ok());
  const auto expired = usage::DeleteExpired(service_.database(), "c", [] { return true; });
  ASSERT_TRUE(expired.ok()) << expired.status();
  EXPECT_EQ(expired->job_accounting, 1);
  v1::ListUsageRecordsRequest request;
  request.set_with_job(true);
  const auto answer = List(request);
  ASSERT_EQ(answer.records_size(), 1);
  EXPECT_EQ(answer.records(0).record().record_id(), "2");
}

}  // namespace
}  // namespace priorityd::rpc
