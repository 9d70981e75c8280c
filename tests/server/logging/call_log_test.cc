#include "server/logging/call_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/logging/captured_log.h"

namespace priorityd::logging {
namespace {

using authorization::Rpc;
using rpc::CallReport;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CallReport Ranked() {
  CallReport report;
  report.rpc = Rpc::kRankJobs;
  report.duration = absl::Microseconds(840);
  report.principal = "amy";
  report.cluster = "c";
  report.rows = 100;
  return report;
}

CallReport Failed(absl::StatusCode code) {
  CallReport report = Ranked();
  report.status = absl::Status(code, "jobs[3].nice: got 9");
  return report;
}

class CallLogTest : public testing::Test {
 protected:
  std::vector<std::string> LinesOf(const CallReport& report, int calls = 1) {
    for (int i = 0; i < calls; ++i) log_.CallEnded(report);
    return captured_.Take();
  }

  CapturedLog captured_{/*json=*/false};
  absl::Time now_ = absl::UnixEpoch();
  CallLog log_{absl::Seconds(1), [this] { return now_; }};
};

TEST_F(CallLogTest, OneLineReportsOneCall) {
  CallReport report = Ranked();
  report.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  EXPECT_THAT(LinesOf(report),
              ElementsAre(EndsWith(" info call method=RankJobs code=OK principal=amy cluster=c "
                                   "rows=100 ms=0.84 trace_id=4bf92f3577b34da6a3ce929d0e0e4736")));
}

TEST_F(CallLogTest, JsonHasAMemberForEachValue) {
  CapturedLog json(/*json=*/true);
  log_.CallEnded(Failed(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(json.Take(),
              ElementsAre(AllOf(StartsWith("{\"time\":\""),
                                EndsWith("\"level\":\"info\",\"message\":\"call\",\"method\":"
                                         "\"RankJobs\",\"code\":\"INVALID_ARGUMENT\",\"principal\":"
                                         "\"amy\",\"cluster\":\"c\",\"rows\":100,\"ms\":0.84,"
                                         "\"error\":\"jobs[3].nice: got 9\"}"))));
}

TEST_F(CallLogTest, ACallersMistakeIsInfoARefusalAWarningAndABugAnError) {
  EXPECT_THAT(LinesOf(Failed(absl::StatusCode::kNotFound)), ElementsAre(HasSubstr(" info call ")));
  EXPECT_THAT(LinesOf(Failed(absl::StatusCode::kPermissionDenied)),
              ElementsAre(HasSubstr(" warning call ")));
  EXPECT_THAT(LinesOf(Failed(absl::StatusCode::kUnavailable)),
              ElementsAre(HasSubstr(" warning call ")));
  EXPECT_THAT(LinesOf(Failed(absl::StatusCode::kInternal)),
              ElementsAre(AllOf(HasSubstr(" error call "), HasSubstr("jobs[3].nice"))));
}

TEST_F(CallLogTest, ASlowCallIsAWarningButNoStreamIsSlow) {
  CallReport report = Ranked();
  report.duration = absl::Milliseconds(1500);
  EXPECT_THAT(LinesOf(report),
              ElementsAre(AllOf(HasSubstr(" warning call "), EndsWith(" ms=1500.00 slow=true"))));
  report.rpc = Rpc::kWatchRanking;
  EXPECT_THAT(LinesOf(report),
              ElementsAre(AllOf(HasSubstr(" info call "), Not(HasSubstr("slow")))));
}

TEST_F(CallLogTest, OfAHotMethodALineASecondHasTheNumberLeftOut) {
  EXPECT_EQ(LinesOf(Ranked(), 500).size(), CallLog::kHotLines);
  EXPECT_EQ(LinesOf(Failed(absl::StatusCode::kInternal), 500).size(), CallLog::kLines);
  now_ += absl::Seconds(1);
  EXPECT_THAT(LinesOf(Ranked()), ElementsAre(EndsWith(" left_out=499")));
  now_ += absl::Seconds(1);
  EXPECT_THAT(LinesOf(Ranked()), ElementsAre(Not(HasSubstr("left_out"))));
}

TEST_F(CallLogTest, AtLevelDebugNoneIsLeftOut) {
  spdlog::set_level(spdlog::level::debug);
  EXPECT_EQ(LinesOf(Ranked(), 50).size(), 50);
  spdlog::set_level(spdlog::level::warn);
  EXPECT_EQ(LinesOf(Ranked(), 50).size(), 0);
}

TEST_F(CallLogTest, WhatCallersNameStaysWithinItsValue) {
  CallReport report = Ranked();
  report.cluster = "c\n2026 info call method=Import principal=root\x1b[2J \"";
  report.status = absl::InvalidArgumentError(std::string(100'000, 'x'));
  const std::vector<std::string> lines = LinesOf(report);
  EXPECT_THAT(lines, ElementsAre(HasSubstr(" cluster=\"c\\n2026 info call method=Import "
                                           "principal=root\\u001b[2J \\\"\" rows=")));
  EXPECT_LT(lines.front().size(), 1000);
}

}  // namespace
}  // namespace priorityd::logging
