#include "client/prioctl/input/json_violation.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "client/prioctl/input/json_lines.h"
#include "priority/v1/job.pb.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::Job;

class JsonViolationTest : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(JsonViolationTest, SaysWhatIsWrongAndWhatIsWanted) {
  Job job;
  const absl::Status status = ParseJson(GetParam().first, &job);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonViolationTest,
    ::testing::Values(
        std::pair("{\"foo\": 1}", "unknown field \"foo\""),
        std::pair("{\"nodes\": -1}", "nodes: got -1, want a whole number from 0 to 4294967295"),
        std::pair("{\"nodes\": 1.5}", "nodes: got 1.5, want a whole number from 0 to 4294967295"),
        std::pair("{\"submitTime\": \"yesterday\"}",
                  "submitTime: got \"yesterday\", want a time such as \"2026-11-20T13:07:11Z\""),
        std::pair("{\"timeLimit\": 3600}",
                  "timeLimit: got 3600, want a duration such as \"3600s\""),
        std::pair("{\"timeLimit\": \"1h\"}",
                  "timeLimit: got \"1h\", want a duration such as \"3600s\""),
        std::pair("{\"hold\": \"ann\"}", "hold: got \"ann\", want one of HOLD_USER, HOLD_ADMIN"),
        std::pair("{\"tres\": {\"cpu\": 1, \"mem\": \"a\"}}",
                  "tres[\"mem\"]: got \"a\", want a number"),
        std::pair("{\"tres\": {\"mem\": 1, \"cpu\": null}}",
                  "tres[\"cpu\"]: got null, want a number"),
        std::pair("{'tres': {cpu: null,},}", "tres[\"cpu\"]: got null, want a number"),
        std::pair("{\"tres\": {\"cpu\": {}}}", "tres[\"cpu\"]: got an object, want a number"),
        std::pair("{\"job_id\": \"1\", \"jobId\": \"1\"}", "jobId: got it twice, want it once"),
        std::pair("{\"tres\": 3}", "tres: got 3, want a JSON object"),
        std::pair("{\"user\": \"ann\", \"nice\": \"much\"}",
                  "nice: got \"much\", want a whole number"),
        std::pair("{\"nodes\": -1, \"foo\": 1}", "unknown field \"foo\""),
        std::pair("[1]", "want one JSON object per line"),
        std::pair("3", "want one JSON object per line"),
        std::pair("x", "not JSON: Unexpected token."),
        std::pair("{\"jobId\": \"1\"",
                  "not JSON: Unexpected end of string. Expected , or } after "
                  "key:value pair.")));

TEST(JsonViolationTest, APartOfAPartIsNamedByItsPath) {
  ::priority::v1::UpdateJobsRequest request;
  EXPECT_EQ(JsonViolation("{\"upserts\": [{\"nodes\": 1}, {\"nodes\": -1}]}", request),
            "upserts[1].nodes: got -1, want a whole number from 0 to 4294967295");
  EXPECT_EQ(JsonViolation("{\"upserts\": [{\"foo\": 1}]}", request),
            "upserts[0]: unknown field \"foo\"");
  EXPECT_EQ(std::string(
                ParseJson("{\"upserts\": [{\"nodes\": 1}, {\"tres\": {\"cpu\": null}}]}", &request)
                    .message()),
            "upserts[1].tres[\"cpu\"]: got null, want a number");
}

TEST(JsonViolationTest, NullStandsForAnAbsentField) {
  Job job;
  ASSERT_TRUE(ParseJson("{\"jobId\": \"1\", \"user\": null, \"tres\": null}", &job).ok());
  EXPECT_EQ(job.job_id(), "1");
  EXPECT_EQ(job.user(), "");
  EXPECT_TRUE(job.tres().empty());
}

}  // namespace
}  // namespace priorityd::prioctl
