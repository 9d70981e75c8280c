// Requests as they are written in JSON and in queries, by real ones to a real server.
#include "server/gateway/transcoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/gateway/http_site.h"

namespace priorityd::gateway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSharesPath[] = "/v1/PriorityService/ListShares";
constexpr char kUpdatePath[] = "/v1/PriorityService/UpdateJobs";

class TranscodingTest : public testing::Test {
 protected:
  HttpSite site_;
};

TEST_F(TranscodingTest, QueryParametersAreFields) {
  const auto answer = site_.Get(
      absl::StrCat(kSharesPath, "?users=amy&users=cat&page_size=100&accountsOnly=false&cluster=c"),
      "ope");
  ASSERT_EQ(answer->status, 200) << answer->body;
  EXPECT_THAT(answer->body, AllOf(HasSubstr(R"("user":"amy")"), HasSubstr(R"("user":"cat")"),
                                  Not(HasSubstr(R"("user":"ben")"))));
}

TEST_F(TranscodingTest, ABadParameterIsNamed) {
  const auto body_of = [&](const std::string& query) {
    const auto answer = site_.Get(absl::StrCat(kSharesPath, "?", query), "ope");
    EXPECT_EQ(answer->status, 400) << query;
    return answer->body;
  };
  EXPECT_THAT(body_of("colour=red"), HasSubstr(R"("field":"colour")"));
  EXPECT_THAT(body_of("page_size=many"), HasSubstr(R"("field":"page_size")"));
  EXPECT_THAT(body_of("subtree=perhaps"), HasSubstr(R"("field":"subtree")"));
  EXPECT_THAT(body_of("cluster=c&cluster=d"), HasSubstr("got it twice"));
}

TEST_F(TranscodingTest, InvalidJsonIsReportedByLineAndColumn) {
  const auto broken =
      site_.Post(kSharesPath, "ope", "{\n  \"cluster\": \"c\",\n  \"users\": [\"amy\"\n}");
  EXPECT_EQ(broken->status, 400);
  EXPECT_EQ(ReasonIn(broken->body), "MALFORMED_JSON");
  EXPECT_THAT(broken->body, HasSubstr("body: line 4, column 1: want JSON"));
  const auto unknown = site_.Post(kSharesPath, "ope", R"({"colour": 1})");
  EXPECT_EQ(ReasonIn(unknown->body), "INVALID_JSON_FIELD");
  EXPECT_THAT(unknown->body, HasSubstr("colour"));
  const auto type = site_.Post(kUpdatePath, "ope", R"({"upserts": [{"jobId": "1", "cpus": "x"}]})");
  EXPECT_EQ(type->status, 400);
  EXPECT_THAT(type->body, HasSubstr("upserts[0].cpus"));
  const auto deep = site_.Post(kSharesPath, "ope", std::string(100'000, '['));
  EXPECT_EQ(deep->status, 400);
}

TEST_F(TranscodingTest, ObjectsInEachOtherAreBounded) {
  std::string text = "1";
  for (int i = 0; i < 101; ++i) text = absl::StrCat("{\"a\":", text, "}");
  EXPECT_THAT(site_.Post(kSharesPath, "ope", text)->body,
              HasSubstr("body: want at most 100 objects and lists in each other"));
}

TEST_F(TranscodingTest, AWrongFieldIsNamedByItsPath) {
  const auto unknown = site_.Post(kUpdatePath, "ope", R"({"upserts": [{"jobId": "1", "cpu": 4}]})");
  EXPECT_EQ(unknown->status, 400);
  const auto violations = nlohmann::json::parse(unknown->body)["details"][1]["fieldViolations"];
  EXPECT_EQ(violations[0]["field"], "upserts[0].cpu");
  EXPECT_EQ(violations[0]["description"], "want the name of a field");
  const auto whole = site_.Post(kUpdatePath, "ope", "[]");
  EXPECT_THAT(whole->body, HasSubstr("body: want an object"));
  const auto parameter = site_.Get(absl::StrCat(kSharesPath, "?page_size=many"), "ope");
  EXPECT_THAT(parameter->body, HasSubstr("page_size: got \\\"many\\\", want a whole number"));
}

// tests/engine/json has every way in which Protobuf would lose some.
TEST_F(TranscodingTest, AValueThatWouldBeLostIsNamedByItsPath) {
  const auto fault_of = [&](const std::string& path, const std::string& text) {
    const auto answer = site_.Post(path, "ope", text);
    EXPECT_EQ(answer->status, 400) << text << answer->body;
    EXPECT_EQ(ReasonIn(answer->body), "INVALID_JSON_FIELD") << text;
    const auto violation = nlohmann::json::parse(answer->body)["details"][1]["fieldViolations"][0];
    return absl::StrCat(violation["field"].get<std::string>(), ": ",
                        violation["description"].get<std::string>());
  };
  EXPECT_EQ(fault_of(kUpdatePath, R"({"upserts": [{"jobId": "1"}, {"tres": {"cpu": null}}]})"),
            R"(upserts[1].tres["cpu"]: got null, want a number)");
  EXPECT_EQ(fault_of(kUpdatePath, R"({"upserts": [{"jobId": "1"}, [null]]})"),
            "upserts[1]: got a list, want an object");
  EXPECT_EQ(fault_of(kSharesPath, R"({"pageSize": 1, "pageSize": 1})"),
            "page_size: got it twice, want it once");
}

TEST_F(TranscodingTest, NullStandsForAnAbsentField) {
  const auto shares =
      site_.Post(kSharesPath, "ope", R"({"cluster": null, "users": null, "pageSize": null})");
  EXPECT_EQ(shares->status, 200) << shares->body;
  const auto jobs = site_.Post(kUpdatePath, "ope",
                               R"({"upserts": [{"jobId": "1", "user": "amy", "tres": null}]})");
  EXPECT_EQ(jobs->status, 200) << jobs->body;
}

TEST_F(TranscodingTest, WhatIsPackedIsNoJson) {
  const auto packed = site_.Post(kSharesPath, "ope", "{}", {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(packed->status, 415);
  EXPECT_THAT(packed->body, HasSubstr("Content-Encoding: got gzip, want none"));
  EXPECT_EQ(site_.Post(kSharesPath, "ope", "{}", {{"Content-Encoding", "identity"}})->status, 200);
}

}  // namespace
}  // namespace priorityd::gateway
