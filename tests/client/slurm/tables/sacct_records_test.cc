#include "client/slurm/tables/sacct_records.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kSacct[] =
    "JobIDRaw|User|Account|Partition|QOS|Start|End|Suspended|AllocTRES|State\n"
    "7|ann|chem|main|normal|2026-11-22T16:00:00|2026-11-22T17:00:00|00:00:00|"
    "billing=8,cpu=4,mem=62.50G,node=1|COMPLETED\n"
    "7.batch||chem|||2026-11-22T16:00:00|2026-11-22T17:00:00|00:00:00|cpu=4,mem=62.50G,node=1|\n"
    "8|bob|chem|main|high|2026-11-22T16:00:00|2026-11-22T17:00:00|00:20:00|cpu=1|CANCELLED by 7\n"
    "9|bob|chem|main|high|2026-11-22T16:00:00|Unknown|00:00:00|cpu=1|RUNNING\n"
    "10|bob|chem|main|high|None|2026-11-22T16:00:00|00:00:00||\n";

TEST(SacctRecordsTest, AJobThatIsOverMakesARecordOfWhatItHeld) {
  const auto read = tables::ReadSacctRecords("sacct.txt", kSacct, "sacct", absl::UTCTimeZone());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->records.size(), 2u);
  EXPECT_EQ(read->steps, 1);
  EXPECT_EQ(read->running, 1);
  EXPECT_EQ(read->unstarted, 1);
  const v1::UsageRecord& first = read->records[0];
  EXPECT_EQ(first.source(), "sacct");
  EXPECT_EQ(first.record_id(), "7@1795363200");
  EXPECT_EQ(first.job_id(), "7");
  EXPECT_EQ(first.user(), "ann");
  EXPECT_EQ(first.account(), "chem");
  EXPECT_EQ(first.partition(), "main");
  EXPECT_EQ(first.qos(), "normal");
  EXPECT_EQ(first.start_time().seconds(), 1795363200);
  EXPECT_EQ(first.end_time().seconds(), 1795366800);
  EXPECT_EQ(first.billing(), 8);
  EXPECT_EQ(first.tres().at("cpu"), 4);
  EXPECT_EQ(first.tres().at("mem"), 64000);
  // Suspended for 20 minutes of the hour.
  EXPECT_EQ(read->records[1].end_time().seconds(), 1795363200 + 40 * 60);
  EXPECT_FALSE(read->records[1].has_billing());
  EXPECT_EQ(first.job().state(), "COMPLETED");
  EXPECT_FALSE(first.job().has_end_time());
  EXPECT_EQ(read->records[1].job().state(), "CANCELLED");
  EXPECT_EQ(read->records[1].job().end_time().seconds(), 1795366800);
}

TEST(SacctRecordsTest, AnAccountMayBeCalledNoneAndAPartitionUnknown) {
  const auto read = tables::ReadSacctRecords("s.txt",
                                             "JobIDRaw|User|Account|Partition|Start|End|AllocTRES\n"
                                             "6|invalid|none|unknown|2026-11-22T16:00:00|"
                                             "2026-11-22T17:00:00|cpu=1\n"
                                             "7|ann|(null)||2026-11-22T16:00:00|"
                                             "2026-11-22T17:00:00|cpu=1\n",
                                             "sacct", absl::UTCTimeZone());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->records[0].user(), "invalid");
  EXPECT_EQ(read->records[0].account(), "none");
  EXPECT_EQ(read->records[0].partition(), "unknown");
  EXPECT_EQ(read->records[1].account(), "");
}

absl::StatusOr<tables::SacctRecords> ReadRunOfBerlin(const std::string& elapsed,
                                                     const std::string& tres) {
  absl::TimeZone berlin;
  EXPECT_TRUE(absl::LoadTimeZone("Europe/Berlin", &berlin));
  return tables::ReadSacctRecords(
      "s.txt",
      absl::StrCat("JobIDRaw|User|Account|Start|End|Elapsed|AllocTRES\n"
                   "6|ann|chem|2026-10-25T02:30:00|2026-10-25T02:10:00|",
                   elapsed, "|", tres, "\n"),
      "s", berlin);
}

TEST(SacctRecordsTest, TheElapsedTimeEndsARunInWhichTheClockWentBack) {
  const auto read = ReadRunOfBerlin("00:40:00", "cpu=4");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->records.size(), 1u);
  const v1::UsageRecord& record = read->records[0];
  EXPECT_EQ(record.end_time().seconds() - record.start_time().seconds(), 40 * 60);
}

TEST(SacctRecordsTest, AnotherEndBeforeItsStartIsRejected) {
  for (const std::string elapsed : {"", "00:00:00", "00:20:00", "05:00:00"}) {
    EXPECT_THAT(std::string(ReadRunOfBerlin(elapsed, "cpu=4").status().message()),
                HasSubstr("line 2: End: got \"2026-10-25T02:10:00\", want Start or later"))
        << elapsed;
  }
}

TEST(SacctRecordsTest, EachTresIsGivenOnce) {
  EXPECT_THAT(std::string(ReadRunOfBerlin("00:40:00", "cpu=4,cpu=5").status().message()),
              HasSubstr("AllocTRES: got \"cpu=4,cpu=5\", want cpu once"));
}

TEST(SacctRecordsTest, WithoutTresTheLossIsCounted) {
  const std::string head = "JobIDRaw|User|Account|Start|End|State|NCPUS\n";
  const auto read = tables::ReadSacctRecords(
      "s.txt",
      head +
          "7|ann|chem|2026-11-22T16:00:00|2026-11-22T17:00:00|COMPLETED|4\n"
          "8|ann|chem|2026-11-22T16:00:00|2026-11-22T17:00:00|LAUNCH_FAILED|4\n",
      "s", absl::UTCTimeZone());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->records[0].tres().at("cpu"), 4);
  EXPECT_THAT(
      read->losses,
      ::testing::ElementsAre(
          "State LAUNCH_FAILED, which the service does not take: 1 row, the first s.txt line 3",
          "no column AllocTRES, so neither memory nor GPUs nor billing are known: 2 rows, the "
          "first s.txt line 2"));
}

TEST(SacctRecordsTest, AValueThatCannotBeReadIsAnErrorOfItsLine) {
  const auto why = [](const std::string& column, const std::string& value) {
    const auto read = tables::ReadSacctRecords(
        "s.txt",
        absl::StrCat("JobIDRaw|User|Account|Start|End|", column,
                     "\n7|ann|chem|2026-11-22T16:00:00|2026-11-22T17:00:00|", value, "\n"),
        "s", absl::UTCTimeZone());
    return std::string(read.status().message());
  };
  EXPECT_THAT(why("AllocTRES", "cpu=4,mem"), HasSubstr("s.txt line 2: AllocTRES: got \"mem\""));
  EXPECT_THAT(why("ReqTRES", "cpu=-4"), HasSubstr("s.txt line 2: ReqTRES: got \"cpu=-4\""));
  EXPECT_THAT(why("NCPUS", "four"), HasSubstr("s.txt line 2: AllocCPUS: got \"four\""));
  EXPECT_THAT(why("ExitCode", "fine"), HasSubstr("s.txt line 2: ExitCode: got \"fine\""));
  EXPECT_THAT(why("MaxRSS", "lots"), HasSubstr("s.txt line 2: MaxRSS: got \"lots\""));
}

TEST(SacctRecordsTest, WhoWasSuspendedForLongerThanItLastedIsAFaultOfItsLine) {
  const std::string head = "JobIDRaw|User|Account|Start|End|Suspended|AllocTRES\n";
  const auto message_of = [&](const std::string& suspended) {
    const auto read = tables::ReadSacctRecords(
        "s.txt",
        head + "7|ann|chem|2026-11-22T16:00:00|2026-11-22T17:00:00|" + suspended + "|cpu=4\n", "s",
        absl::UTCTimeZone());
    return std::string(read.status().message());
  };
  EXPECT_EQ(message_of("01:00:00"), "");
  for (const char* suspended : {"01:00:01", "UNLIMITED"}) {
    EXPECT_THAT(message_of(suspended), AllOf(HasSubstr("line 2"), HasSubstr(suspended),
                                             HasSubstr("want 0 to 3600 seconds")));
  }
  for (const char* suspended : {"-7200", "3601", "1e300"}) {
    const auto read = tables::ReadSacctRecords(
        "s.json",
        absl::StrCat(
            R"({"jobs":[{"job_id":7,"user":"ann","account":"chem","time":{"start":1795363200,)",
            R"("end":1795366800,"suspended":)", suspended, "}}]}"),
        "s", absl::UTCTimeZone());
    EXPECT_THAT(std::string(read.status().message()),
                AllOf(HasSubstr("suspended"), HasSubstr("want 0 to 3600 seconds")));
  }
}

TEST(SacctRecordsTest, TimesAreOfTheZoneGiven) {
  absl::TimeZone berlin;
  ASSERT_TRUE(absl::LoadTimeZone("Europe/Berlin", &berlin));
  const auto read = tables::ReadSacctRecords("sacct.txt", kSacct, "sacct", berlin);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->records[0].record_id(), "7@1795359600");
}

TEST(SacctRecordsTest, JsonIsReadToTheSameRecord) {
  const auto read = tables::ReadSacctRecords(
      "sacct.json",
      R"({"jobs": [{"account": "chem", "job_id": 7, "partition": "main", "qos": "normal",
          "user": "ann", "state": {"current": "COMPLETED", "reason": "None"},
          "time": {"elapsed": 3600, "end": 1795366800, "start": 1795363200, "suspended": 0},
          "tres": {"allocated": [{"type": "cpu", "name": null, "id": 1, "count": 4},
                                 {"type": "mem", "name": null, "id": 2, "count": 64000},
                                 {"type": "node", "name": null, "id": 4, "count": 1},
                                 {"type": "billing", "name": null, "id": 5, "count": 8}]}}]})",
      "sacct", absl::LocalTimeZone());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->records.size(), 1u);
  const auto table = tables::ReadSacctRecords("sacct.txt", kSacct, "sacct", absl::UTCTimeZone());
  EXPECT_EQ(read->records[0].DebugString(), table->records[0].DebugString());
}

TEST_F(PrioctlTest, SacctIsRecordedAndRejectionsAreNamedByTheirLine) {
  fake_.record_usage.Answer([](const v1::RecordUsageRequest& request, auto* response) {
    for (const v1::UsageRecord& record : request.records()) {
      auto* result = response->add_results();
      const bool bad = record.user() == "bob";
      result->set_status(bad ? v1::USAGE_RECORD_STATUS_REJECTED : v1::USAGE_RECORD_STATUS_ACCEPTED);
      if (bad) result->set_reason(v1::REJECTION_REASON_UNKNOWN_USER);
      result->set_message("user: got \"bob\", want a user of chem");
      bad ? response->set_rejected(1) : response->set_accepted(1);
    }
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("sacct.txt", kSacct);
  const Finished run = Run({"import", "sacct", file});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out,
            "1 accepted, 0 duplicate, 1 rejected; left out: 1 running job, 1 that used nothing, 1 "
            "step\n");
  EXPECT_EQ(run.err,
            absl::StrCat(file,
                         " line 4: rejected, UNKNOWN_USER: user: got \"bob\", want a user of chem\n"
                         "prioctl: 1 of 2 records was rejected\n"));
  EXPECT_THAT(Run({"import", "sacct", file, "--validate-only"}).out,
              HasSubstr("valid: would record 2 jobs; "));
  EXPECT_EQ(fake_.record_usage.requests().size(), 1u);
}

}  // namespace
}  // namespace priorityd
