#include "client/prioctl/input/json_lines.h"

#include <sstream>

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
