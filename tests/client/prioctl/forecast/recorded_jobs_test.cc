#include "client/prioctl/forecast/recorded_jobs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RecordedJobs Read(const std::string& content) {
  auto recorded = ReadRecordedJobs("history", content, absl::UTCTimeZone());
  EXPECT_TRUE(recorded.ok()) << recorded.status();
  return recorded.ok() ? *recorded : RecordedJobs();
}

// number submit wait run processors - - requested time - status user group - queue partition
constexpr char kSwf[] =
    "; UnixStartTime: 1000000\n; MaxProcs: 64\n"
    "1 10 5 20 8 -1 -1 8 60 -1 1 7 3 -1 2 -1 -1 -1\n"
    "2 11 7 -1 8 -1 -1 8 -1 -1 -1 7 3 -1 2 1 -1 -1\n"
    "3 12 -1 -1 -1 -1 -1 4 60 -1 -1 8 3 -1 -1 -1 -1 -1\n"
    "4 13 90 0 0 -1 -1 4 60 -1 5 8 3 -1 -1 -1 -1 -1\n";

TEST(RecordedJobsTest, ATraceHasWhatStartedRunsWaitsAndWasCancelled) {
  const RecordedJobs recorded = Read(kSwf);
  EXPECT_EQ(recorded.cpus, 64);
  ASSERT_EQ(recorded.jobs.size(), 4);
  const auto& ended = recorded.jobs[0];
  EXPECT_EQ(ended.job.id, "1");
  EXPECT_EQ(ended.job.submit_time, 1000010);
  EXPECT_EQ(ended.job.cpus, 8);
  EXPECT_EQ(ended.job.limit, 60);
  EXPECT_EQ(ended.job.user, "7");
  EXPECT_EQ(ended.job.account, "3");
  EXPECT_EQ(ended.job.partition, "2/");
  EXPECT_EQ(ended.start, 1000015);
  EXPECT_EQ(ended.end, 1000035);
  const auto& runs = recorded.jobs[1];
  EXPECT_EQ(runs.start, 1000018);
  EXPECT_FALSE(runs.end.has_value());
  EXPECT_EQ(runs.job.limit, 0);
  EXPECT_EQ(runs.job.partition, "2/1");
  const auto& waits = recorded.jobs[2];
  EXPECT_FALSE(waits.start.has_value() || waits.cancel.has_value());
  EXPECT_EQ(waits.job.cpus, 4);
  const auto& cancelled = recorded.jobs[3];
  EXPECT_FALSE(cancelled.start.has_value());
  EXPECT_EQ(cancelled.cancel, 1000103);
}

TEST(RecordedJobsTest, WithoutAnyWaitTimeJobsStartWhenTheyAreSubmitted) {
  const RecordedJobs recorded =
      Read("; UnixStartTime: 0\n1 10 -1 20 8 -1 -1 8 60 -1 1 7 3 -1 -1 -1 -1 -1\n");
  EXPECT_EQ(recorded.jobs[0].start, 10);
  EXPECT_EQ(recorded.jobs[0].end, 30);
  ASSERT_EQ(recorded.notes.size(), 1);
  EXPECT_THAT(recorded.notes[0], HasSubstr("no job has a wait time"));
}

constexpr char kHeading[] =
    "JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|AllocTRES|ReqCPUS\n";

TEST(RecordedJobsTest, SacctHasPendingRunningAndCancelledJobsToo) {
  const RecordedJobs recorded = Read(absl::StrCat(
      kHeading,
      "1|ann|chem|main|normal|1970-01-01T00:00:10|1970-01-01T00:00:20|1970-01-01T00:00:30|"
      "1970-01-01T00:01:30|00:05:00|cpu=4,node=1|4\n"
      "1.batch|||||1970-01-01T00:00:30|1970-01-01T00:00:30|1970-01-01T00:00:30|"
      "1970-01-01T00:01:30||cpu=4,node=1|4\n"
      "2|ann|chem|main|normal|1970-01-01T00:00:11|1970-01-01T00:00:11|1970-01-01T00:00:40|Unknown|"
      "UNLIMITED|cpu=2,node=1|2\n"
      "3|bob|chem|main|high|1970-01-01T00:00:12|1970-01-01T00:00:12|Unknown|Unknown|01:00:00||8\n"
      "4|bob|chem|main|high|1970-01-01T00:00:13|1970-01-01T00:00:13|None|1970-01-01T00:02:00|"
      "01:00:00||16\n"));
  ASSERT_EQ(recorded.jobs.size(), 4);
  EXPECT_EQ(recorded.jobs[3].job.submit_time, 20) << "it waits since it is eligible";
  EXPECT_EQ(recorded.jobs[3].start, 30);
  EXPECT_EQ(recorded.jobs[3].end, 90);
  EXPECT_EQ(recorded.jobs[3].job.limit, 300);
  EXPECT_EQ(recorded.jobs[3].job.partition, "main");
  EXPECT_EQ(recorded.jobs[3].job.qos, "normal");
  EXPECT_EQ(recorded.jobs[0].start, 40);
  EXPECT_FALSE(recorded.jobs[0].end.has_value());
  EXPECT_EQ(recorded.jobs[0].job.limit, 0);
  EXPECT_FALSE(recorded.jobs[1].start.has_value());
  EXPECT_FALSE(recorded.jobs[1].cancel.has_value());
  EXPECT_EQ(recorded.jobs[1].job.cpus, 8);
  EXPECT_EQ(recorded.jobs[2].cancel, 120);
}

TEST(RecordedJobsTest, SacctsJobsAreAsTheyWereBeforeTheirStarts) {
  const RecordedJobs recorded = Read(
      "JobID|User|Account|Submit|Eligible|Start|End|AllocTRES|ReqCPUS\n"
      "9|ann|chem|1970-01-01T00:00:10|1970-01-01T00:00:10|1970-01-01T00:00:30|Unknown|cpu=32|4\n"
      "10|ann|chem|1970-01-01T00:00:11|Unknown|Unknown|Unknown||4\n"
      "7_[3,5-6%2]|ann|chem|1970-01-01T00:00:10|1970-01-01T00:00:10|Unknown|Unknown||2\n"
      "8_[1,...]|ann|chem|1970-01-01T00:00:10|1970-01-01T00:00:10|Unknown|Unknown||2\n");
  std::vector<std::string> ids;
  for (const auto& job : recorded.jobs) ids.push_back(job.job.id);
  EXPECT_THAT(ids, ElementsAre("7_3", "7_5", "7_6", "8_[1,...]", "9"));
  EXPECT_EQ(recorded.jobs[4].job.cpus, 4);
  EXPECT_THAT(recorded.notes, ElementsAre(HasSubstr("not eligible yet, left out: 1"),
                                          HasSubstr("taken as one job each: 1")));
}

// The ids of running jobs in the order in which they are read.
std::vector<std::string> SortedIds(const std::vector<std::string>& ids, absl::string_view submit) {
  std::string text = "JobID|User|Account|Submit|Start|End\n";
  for (const std::string& id : ids) {
    absl::StrAppend(&text, id, "|ann|chem|", submit, "|1970-01-01T01:00:00|Unknown\n");
  }
  std::vector<std::string> sorted;
  const RecordedJobs recorded = Read(text);
  for (const auto& job : recorded.jobs) sorted.push_back(job.job.id);
  return sorted;
}

TEST(RecordedJobsTest, SacctsJobsOfOneSecondAreInTheOrderOfTheirNumbers) {
  std::vector<std::string> ids = {"11", "10_10", "9", "10_2", "x", "10", "x"};
  const std::vector<std::string> sorted = {"9", "10", "10_2", "10_10", "11", "x", "x"};
  EXPECT_EQ(SortedIds(ids, "1970-01-01T00:00:10"), sorted);
  std::reverse(ids.begin(), ids.end());
  EXPECT_EQ(SortedIds(ids, "1970-01-01T00:00:10"), sorted);
}

TEST(RecordedJobsTest, SacctsJobsWithoutAnOrderKeepThatOfTheFile) {
  EXPECT_EQ(SortedIds({"y", "x", "z"}, "1970-01-01T00:00:10"),
            (std::vector<std::string>{"y", "x", "z"}));
}

TEST(RecordedJobsTest, ArraysOfMoreTasksThanAFileMayHaveAreRefused) {
  const std::string row =
      "_[0-999999]|ann|chem|1970-01-01T00:00:10|1970-01-01T00:00:10|Unknown|Unknown\n";
  const auto recorded = ReadRecordedJobs(
      "a.txt", absl::StrCat("JobID|User|Account|Submit|Eligible|Start|End\n7", row, "8", row),
      absl::UTCTimeZone());
  EXPECT_THAT(recorded.status().message(),
              HasSubstr("a.txt: got 2000000 waiting tasks of arrays up to 8_[0-999999], want at "
                        "most 1000000 in a file"));
}

TEST(RecordedJobsTest, RecordsOfTheCollectorsAreReadAsLines) {
  const RecordedJobs recorded = Read(
      R"({"source":"pbs","recordId":"7@40","jobId":"7","user":"ann","account":"chem",)"
      R"("startTime":"1970-01-01T00:00:40Z","endTime":"1970-01-01T00:01:40Z","tres":{"cpu":4},)"
      R"("job":{"submitTime":"1970-01-01T00:00:10Z","timeLimit":"600s"}})"
      "\n");
  ASSERT_EQ(recorded.jobs.size(), 1);
  EXPECT_EQ(recorded.jobs[0].job.submit_time, 10);
  EXPECT_EQ(recorded.jobs[0].start, 40);
  EXPECT_EQ(recorded.jobs[0].end, 100);
  EXPECT_EQ(recorded.jobs[0].job.cpus, 4);
}

TEST(RecordedJobsTest, ErrorsNameTheLine) {
  const auto swf = ReadRecordedJobs("a.swf", "; Version: 2\n1 2 3\n", absl::UTCTimeZone());
  EXPECT_THAT(swf.status().message(), HasSubstr("a.swf line 2: got 3 fields, want 18"));
  const auto sacct = ReadRecordedJobs(
      "a.txt", absl::StrCat(kHeading, "1|ann|chem|main|normal|soonish|||||cpu=4|4\n"),
      absl::UTCTimeZone());
  EXPECT_THAT(sacct.status().message(), HasSubstr("a.txt line 2"));
}

}  // namespace
}  // namespace priorityd::prioctl
