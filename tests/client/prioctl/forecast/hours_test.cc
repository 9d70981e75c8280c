// prioctl forecast hours: which jobs count, and what is printed of them.
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class HoursTest : public PrioctlTest {
 protected:
  HoursTest() { setenv("TZ", "UTC", 1); }

  Finished Hours(std::vector<std::string> words) {
    words.insert(words.begin(), {"forecast", "hours"});
    return Run(words);
  }
};

// From midnight: twenty jobs of one CPU at 03:00 that waited for 1 to 20 minutes, ten of eight CPUs
// at 21:00 that waited for 1 to 10 hours, and nine more of these at 22:00.
std::string Trace() {
  std::string trace = "; UnixStartTime: 1767571200\n";
  int number = 0;
  const auto add = [&](int hour, int wait, int cpus, int limit) {
    ++number;
    absl::StrAppend(&trace, number, " ", hour * 3600 + number, " ", wait, " 60 ", cpus, " -1 -1 ",
                    cpus, " ", limit, " -1 1 ", number, " 1 -1 -1 -1 -1 -1\n");
  };
  for (int i = 1; i <= 20; ++i) add(3, 60 * i, 1, 3600);
  for (int i = 1; i <= 10; ++i) add(21, 3600 * i, 8, 7200);
  for (int i = 1; i <= 9; ++i) add(22, 3600 * i, 8, 7200);
  return trace;
}

TEST_F(HoursTest, EachHourHasTheWaitsOfItsSubmissions) {
  const Finished run = Hours({WriteFile("hours.swf", Trace())});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  // The 10th and the 18th of 20, the 5th and the 9th of 10; nine are too few.
  EXPECT_THAT(run.out,
              AllOf(ContainsRegex("03:00-04:00 +20 10 min +18 min"),
                    ContainsRegex("21:00-22:00 +10 5 h 0 min +9 h 0 min"),
                    ContainsRegex("22:00-23:00 +9 - +-"), ContainsRegex("04:00-05:00 +0 - +-")));
  // The 20th of 39 is the last of the minutes, the 36th is the eighth hour of the second ten.
  EXPECT_THAT(run.out, ContainsRegex("any hour +39 20 min +8 h 0 min"));
}

TEST_F(HoursTest, OnlyJobsOfTheSameClassesCount) {
  const std::string file = WriteFile("hours.swf", Trace());
  // 5-16 CPUs, and 1-4 h.
  EXPECT_THAT(Hours({file, "--cpus", "16"}).out, ContainsRegex("any hour +19 5 h"));
  EXPECT_THAT(Hours({file, "--time", "1:30:00"}).out, ContainsRegex("any hour +19 5 h"));
  EXPECT_THAT(Hours({file, "--cpus", "1"}).out, ContainsRegex("any hour +20 10 min"));
  const Finished none = Hours({file, "--cpus", "500"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.err, "prioctl: got no such job, want some in the history\n");
}

TEST_F(HoursTest, WithoutAFileTheLedgerOfFourWeeksIsRead) {
  const absl::Time now = absl::Now();
  fake_.list_usage_records.Answer([&](const auto& request, v1::ListUsageRecordsResponse* answer) {
    const absl::Duration age = now - absl::FromUnixSeconds(request.ended_from().seconds());
    EXPECT_GT(age, absl::Hours(27 * 24));
    EXPECT_LT(age, absl::Hours(29 * 24));
    for (int i = 1; i <= 10; ++i) {
      v1::LedgerRecord& ledger = *answer->add_records();
      ledger.set_account("chem");
      v1::UsageRecord& record = *ledger.mutable_record();
      record.set_job_id(absl::StrCat(i));
      record.set_user("ann");
      (*record.mutable_tres())["cpu"] = 1;
      const int64_t submit = 1'767'571'200 + 5 * 3600 + i;
      record.mutable_job()->mutable_submit_time()->set_seconds(submit);
      record.mutable_start_time()->set_seconds(submit + 60 * i);
      record.mutable_end_time()->set_seconds(submit + 60 * i + 30);
    }
    return grpc::Status::OK;
  });
  const Finished run = Hours({"--account", "chem"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("05:00-06:00 +10 5 min +9 min"));
  EXPECT_EQ(Hours({"--account", "bio"}).exit_code, 1);
}

TEST_F(HoursTest, ALedgerAndAFileAreNotReadTogether) {
  const Finished run = Hours({"jobs.txt", "--ledger-from", "2026-01-01"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("--ledger-from: got it with FILE, want one of them"));
}

}  // namespace
}  // namespace priorityd
