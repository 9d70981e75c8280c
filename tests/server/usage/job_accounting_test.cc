#include "server/usage/job_accounting.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine/errors/bounds.h"
#include "server/usage/running_jobs.h"
#include "server/usage/validation.h"
#include "tests/server/usage/small_site.h"

namespace priorityd::usage {
namespace {

using storage::JobAccounting;

UsageSubmission Telling(JobAccounting job) {
  UsageSubmission record = Submission("1");
  record.job_id = "7";
  record.job = std::make_shared<const JobAccounting>(std::move(job));
  return record;
}

std::optional<Rejection> FaultOf(const UsageSubmission& record) {
  return FindFault(record, {.latest = *record.end_time + absl::Minutes(1)});
}

const absl::Time kStart = kQosGoneAt, kEnd = kQosGoneAt + absl::Minutes(1);
constexpr absl::Duration kTick = absl::Microseconds(1);

TEST(JobAccountingTest, WhatIsAtItsBoundsIsTaken) {
  const std::vector<JobAccounting> jobs = {
      {},
      {.state = "OUT_OF_MEMORY", .exit_code = 0, .exit_signal = 65535},
      {.submit_time = kStart, .eligible_time = kStart, .start_time = kStart, .end_time = kEnd},
      {.end_time = kEnd + absl::Minutes(1)},
      {.time_limit = absl::ZeroDuration(), .total_cpu = 0, .max_rss = 1e18},
      {.node_list = std::string(errors::kMaxNodeListBytes, 'n')}};
  for (const JobAccounting& job : jobs) {
    const auto fault = FaultOf(Telling(job));
    EXPECT_FALSE(fault.has_value()) << fault->field << ": " << fault->message;
  }
}

TEST(JobAccountingTest, WhatIsBeyondItsBoundsIsRejectedByItsField) {
  const std::vector<std::pair<const char*, JobAccounting>> jobs = {
      {"job.state", {.state = "COMPLETE"}},
      {"job.state", {.state = "completed"}},
      {"job.exit_code", {.exit_code = -1}},
      {"job.exit_signal", {.exit_signal = 65536}},
      {"job.submit_time", {.submit_time = kStart + kTick}},
      {"job.submit_time", {.submit_time = absl::InfiniteFuture()}},
      {"job.submit_time", {.submit_time = kStart, .eligible_time = kStart - kTick}},
      {"job.submit_time", {.submit_time = kStart - kMaxSpan - kTick}},
      {"job.eligible_time", {.eligible_time = absl::InfinitePast()}},
      {"job.eligible_time", {.eligible_time = kStart + kTick}},
      {"job.start_time", {.start_time = kStart + kTick}},
      {"job.submit_time", {.submit_time = kStart, .start_time = kStart - kTick}},
      {"job.end_time", {.end_time = kEnd - kTick}},
      {"job.end_time", {.end_time = kEnd + absl::Minutes(1) + kTick}},
      {"job.end_time", {.start_time = kEnd - kMaxSpan - kTick}},
      {"job.time_limit", {.time_limit = absl::Seconds(-1)}},
      {"job.time_limit", {.time_limit = absl::InfiniteDuration()}},
      {"job.total_cpu", {.total_cpu = -1}},
      {"job.max_rss", {.max_rss = std::numeric_limits<double>::quiet_NaN()}},
      {"job.req_cpus", {.req_cpus = std::numeric_limits<double>::infinity()}},
      {"job.req_mem", {.req_mem = -0.5}},
      {"job.node_list", {.node_list = std::string(errors::kMaxNodeListBytes + 1, 'n')}},
      {"job.node_list", {.node_list = std::string("n\0", 2)}}};
  for (const auto& [field, job] : jobs) {
    const auto fault = FaultOf(Telling(job));
    ASSERT_TRUE(fault.has_value()) << field;
    EXPECT_EQ(fault->field, field);
    EXPECT_NE(fault->message.find("got "), std::string::npos) << fault->message;
    EXPECT_NE(fault->message.find("want "), std::string::npos) << fault->message;
  }
}

TEST(JobAccountingTest, AJobWithoutItsIdIsRejected) {
  UsageSubmission record = Telling({.state = "FAILED"});
  record.job_id = "";
  EXPECT_EQ(FaultOf(record).value().field, "job_id");
}

TEST(JobAccountingTest, ALongStateIsReportedInPart) {
  EXPECT_LT(FaultOf(Telling({.state = std::string(100'000, 'X')})).value().message.size(), 400);
}

TEST(JobAccountingTest, TheRunIsTheRecordsIfNoOtherTimesAreGiven) {
  EXPECT_EQ(WholeAccounting(Submission("1")), nullptr);
  const auto whole = WholeAccounting(Telling({.submit_time = kStart - absl::Nanoseconds(1'500),
                                              .time_limit = absl::Milliseconds(90'500)}));
  EXPECT_EQ(whole->start_time, kStart);
  EXPECT_EQ(whole->end_time, kEnd);
  EXPECT_EQ(whole->submit_time, kStart - absl::Microseconds(2));
  EXPECT_EQ(whole->time_limit, absl::Seconds(90));
  const auto given = WholeAccounting(
      Telling({.start_time = kStart - absl::Hours(1), .end_time = kEnd + absl::Seconds(1)}));
  EXPECT_EQ(given->start_time, kStart - absl::Hours(1));
  EXPECT_EQ(given->end_time, kEnd + absl::Seconds(1));
}

// The record that is made of them begins later.
TEST(JobAccountingTest, CountersDescribeTheWholeRun) {
  UsageSubmission counters = Telling({.state = "RUNNING"});
  counters.record_id = "";
  counters.tres.clear();
  counters.counters.emplace().tres_seconds = {{"cpu", 240}};
  storage::RunningJob job = NewJob(counters);
  job.as_of += absl::Seconds(20);
  const auto interval = std::get<UsageSubmission>(IntervalOf(counters, job));
  EXPECT_EQ(interval.start_time, kStart + absl::Seconds(20));
  EXPECT_EQ(WholeAccounting(interval)->start_time, kStart);
  EXPECT_EQ(WholeAccounting(interval)->end_time, kEnd);
}

}  // namespace
}  // namespace priorityd::usage
