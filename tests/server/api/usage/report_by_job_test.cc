// ReportUsage by job, over gRPC on a real PostgreSQL.
#include <gtest/gtest.h>

#include <vector>

#include "server/messages/convert_time.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class ReportByJobTest : public testing::Test {
 protected:
  ReportByJobTest() {
    Import(service_, SmallSite("PriorityDecayHalfLife=1\nPartitionName=gpu Nodes=ALL\n"
                               "PartitionName=mb Nodes=ALL\n"));
    service_.SetNow(TestEpoch() + absl::Hours(24));
    Recalculate(service_);
  }

  void Record(const std::vector<v1::UsageRecord>& records) {
    v1::RecordUsageRequest request;
    for (const v1::UsageRecord& record : records) *request.add_records() = record;
    EXPECT_EQ(RecordUsage(service_, request).accepted(), records.size());
  }

  v1::ReportUsageRequest Request(absl::Time start, absl::Time end) {
    v1::ReportUsageRequest request;
    *request.mutable_start_time() = ToTimestamp(start);
    *request.mutable_end_time() = ToTimestamp(end);
    return request;
  }
  v1::ReportUsageResponse Report(const v1::ReportUsageRequest& request) {
    return AnswerTo<v1::ReportUsageResponse>(service_, request);
  }

  TestService service_;
};

TEST_F(ReportByJobTest, AJobHasARowWithAllItsRecordsWhateverThePage) {
  const auto record = [](const char* id, const char* job, int start_hour, const char* partition) {
    v1::UsageRecord usage = Usage(id, TestEpoch() + absl::Hours(start_hour), absl::Hours(1), 2);
    usage.set_job_id(job);
    usage.set_partition(partition);
    return usage;
  };
  Record({record("r1", "8", 0, "gpu"), record("r2", "7", 1, "gpu"), record("r3", "7", 3, "mb")});
  v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch() + absl::Hours(9));
  request.add_group_by(v1::REPORT_GROUPING_JOB);
  request.set_page_size(1);
  const auto first = Report(request);
  ASSERT_EQ(first.rows_size(), 1);
  EXPECT_EQ(first.rows(0).job_id(), "7");
  EXPECT_EQ(first.rows(0).partition(), "mb");
  EXPECT_EQ(first.rows(0).wall_seconds(), 2 * 3600);
  EXPECT_EQ(first.rows(0).tres_seconds().at("cpu"), 2 * 2 * 3600);
  EXPECT_EQ(ToTime(first.rows(0).job_start_time()), TestEpoch() + absl::Hours(1));
  EXPECT_EQ(ToTime(first.rows(0).job_end_time()), TestEpoch() + absl::Hours(4));
  request.set_page_token(first.next_page_token());
  const auto second = Report(request);
  ASSERT_EQ(second.rows_size(), 1);
  EXPECT_EQ(second.rows(0).job_id(), "8");
  EXPECT_EQ(second.next_page_token(), "");
}

TEST_F(ReportByJobTest, OnlyTheJobsAskedForAreCounted) {
  std::vector<v1::UsageRecord> records;
  for (const char* job : {"7", "8", "9"}) {
    records.push_back(Usage(job, TestEpoch(), absl::Hours(1), 1));
    records.back().set_job_id(job);
  }
  Record(records);
  v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch() + absl::Hours(9));
  request.add_job_ids("7");
  request.add_job_ids("9");
  const auto report = Report(request);
  ASSERT_EQ(report.rows_size(), 1);
  EXPECT_EQ(report.rows(0).wall_seconds(), 2 * 3600);
  EXPECT_EQ(report.rows(0).job_id(), "");
}

}  // namespace
}  // namespace priorityd::rpc
