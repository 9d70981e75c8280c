#include "client/prioctl/json_lines.h"

#include <sstream>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "priority/v1/job.pb.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::Job;
using ::testing::HasSubstr;

TEST(JsonLinesTest, BlankLinesAreSkippedAndCounted) {
  std::istringstream input("{\"jobId\": \"1\"}\n\n  \r\n{\"jobId\": \"2\"}");
  JsonLinesReader reader(&input, "jobs.jsonl");
  Job job;
  EXPECT_TRUE(*reader.Next(&job));
  EXPECT_EQ(job.job_id(), "1");
  EXPECT_TRUE(*reader.Next(&job));
  EXPECT_EQ(job.job_id(), "2");
  EXPECT_EQ(reader.line_number(), 4);
  EXPECT_FALSE(*reader.Next(&job));
}

TEST(JsonLinesTest, AMessageKeepsNothingOfTheOneBefore) {
  std::istringstream input("{\"jobId\": \"1\", \"user\": \"ann\"}\n{\"jobId\": \"2\"}\n");
  JsonLinesReader reader(&input, "jobs.jsonl");
  Job job;
  ASSERT_TRUE(*reader.Next(&job));
  ASSERT_TRUE(*reader.Next(&job));
  EXPECT_EQ(job.user(), "");
}

TEST(JsonLinesTest, ErrorsNameFileAndLine) {
  std::istringstream input("{\"jobId\": \"1\"}\n\n{\"jobID\": \"2\"}\n");
  JsonLinesReader reader(&input, "jobs.jsonl");
  Job job;
  ASSERT_TRUE(*reader.Next(&job));
  EXPECT_EQ(std::string(reader.Next(&job).status().message()),
            "jobs.jsonl line 3: unknown field \"jobID\"");
}

class JsonErrorTest : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(JsonErrorTest, SaysWhatIsWrongAndWhatIsWanted) {
  Job job;
  const absl::Status status = ParseJson(GetParam().first, &job);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonErrorTest,
    ::testing::Values(
        std::pair("{\"foo\": 1}", "unknown field \"foo\""),
        std::pair("{\"nodes\": -1}", "nodes: got -1, want a whole number from 0 to 4294967295"),
        std::pair("{\"nodes\": 1.5}", "nodes: got 1.5, want a whole number from 0 to 4294967295"),
        std::pair("{\"submitTime\": \"yesterday\"}",
                  "submitTime: got yesterday, want a time such as \"2026-11-20T13:07:11Z\""),
        std::pair("{\"timeLimit\": 3600}",
                  "timeLimit: got 3600, want a duration such as \"3600s\""),
        std::pair("{\"timeLimit\": \"1h\"}", "timeLimit: want a duration such as \"3600s\""),
        std::pair("{\"hold\": \"USER\"}", "hold: got \"USER\", want one of HOLD_USER, HOLD_ADMIN"),
        std::pair("{\"tres\": {\"cpu\": \"a\"}}", "tres[0].value: got \"a\", want a number"),
        std::pair("[1]", "want one JSON object per line"),
        std::pair("3", "want one JSON object per line"),
        std::pair("x", "not JSON: Unexpected token."),
        std::pair("{\"jobId\": \"1\"",
                  "not JSON: Unexpected end of string. Expected , or } after "
                  "key:value pair.")));

TEST(JsonLinesTest, DefaultValuesAreWrittenOut) {
  ::priority::v1::RankedJob job;
  job.set_job_id("7");
  const std::string json = ToJson(job);
  EXPECT_THAT(json, HasSubstr("\"rank\":0"));
  EXPECT_THAT(json, HasSubstr("\"bestOfJob\":false"));
  EXPECT_EQ(json.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace priorityd::prioctl
