// The errors for JSON that Protobuf rejects, from the message of Protobuf.
#include "server/gateway/json_fault.h"

#include <google/protobuf/util/json_util.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "priority/v1/priority_service.pb.h"

namespace priorityd::gateway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// `field: what`.
template <typename Message>
std::string ToldOf(const std::string& json) {
  Message message;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &message);
  EXPECT_FALSE(parsed.ok()) << json;
  const JsonFault fault =
      JsonFaultOf(absl::string_view(parsed.message().data(), parsed.message().size()));
  return absl::StrCat(fault.field, ": ", fault.what);
}

std::string ToldOfRanking(const std::string& json) {
  return ToldOf<::priority::v1::RankJobsRequest>(json);
}

std::string ToldOfUpdate(const std::string& job) {
  return ToldOf<::priority::v1::UpdateJobsRequest>(
      absl::StrCat(R"({"upserts": [{"jobId": "1"}, )", job, "]}"));
}

TEST(JsonFaultTest, AWrongValueIsReportedWithItsPathAndWhatIsWanted) {
  EXPECT_EQ(ToldOfRanking(R"({"limit": "x"})"),
            R"(limit: got "x", want a whole number of 0 to 4294967295)");
  EXPECT_EQ(ToldOfRanking(R"({"limit": -1})"),
            "limit: got -1, want a whole number of 0 to 4294967295");
  EXPECT_EQ(ToldOfRanking(R"({"bestOnly": 1})"), "best_only: got 1, want true or false");
  EXPECT_EQ(ToldOfUpdate(R"({"user": 5})"), "upserts[1].user: got 5, want a text");
  EXPECT_EQ(ToldOfUpdate(R"({"tres": {"cpu": "x"}})"),
            R"(upserts[1].tres[0].value: got "x", want a number)");
  EXPECT_EQ(ToldOfUpdate("5"), "upserts[1]: got 5, want an object");
}

TEST(JsonFaultTest, AnEnumIsReportedWithItsNames) {
  EXPECT_THAT(ToldOfRanking(R"({"view": "RANK_VIEW_X"})"),
              AllOf(StartsWith(R"(view: got "RANK_VIEW_X", want one of RANK_VIEW_)"),
                    HasSubstr(", RANK_VIEW_FULL")));
}

TEST(JsonFaultTest, TimesAndDurationsAreReportedWithAnExample) {
  EXPECT_EQ(ToldOfRanking(R"({"asOf": "yesterday"})"),
            "as_of: got yesterday, want a time as 2026-01-05T00:00:00Z");
  EXPECT_THAT(ToldOfUpdate(R"({"timeLimit": "1 h"})"),
              AllOf(StartsWith("upserts[1].time_limit: "), HasSubstr("want a duration as 3600s")));
}

TEST(JsonFaultTest, AWrongShapeIsReportedWithItsPlace) {
  EXPECT_EQ(ToldOfRanking(R"({"limit": {}})"), "limit: got an object, want a value");
  EXPECT_EQ(ToldOfRanking(R"({"users": [{}]})"), "users: got an object, want a value");
  EXPECT_EQ(ToldOfRanking(R"({"limit": [1]})"), "limit: got a list, want one value");
  EXPECT_EQ(ToldOfRanking(R"({"tracked": {}, "jobs": {}})"),
            "jobs: got it beside another source, want one of them");
  EXPECT_EQ(ToldOfRanking("[]"), ": want an object");
}

TEST(JsonFaultTest, AnUnknownFieldIsNamedByItsPath) {
  EXPECT_EQ(ToldOfRanking(R"({"limits": 1})"), "limits: want the name of a field");
  EXPECT_EQ(ToldOfUpdate(R"({"nope": {"a": 1}})"), "upserts[1].nope: want the name of a field");
}

TEST(JsonFaultTest, AnUnknownFaultIsReportedUnchangedWithoutControlCharacters) {
  const JsonFault fault = JsonFaultOf("something\nelse \x01 is wrong");
  EXPECT_EQ(fault.field, "");
  EXPECT_EQ(fault.what, "something else   is wrong");
  for (const char* odd : {"", ": invalid value ", "(: invalid value  for type ", "( for type oneof",
                          ": invalid value x for type oneof", "): Cannot find field.",
                          ": invalid value for type x"}) {
    JsonFaultOf(odd);
  }
  EXPECT_LE(JsonFaultOf(std::string(100'000, 'x')).what.size(), 400);
}

TEST(JsonFaultTest, OfALongValueTheBeginningIsQuoted) {
  EXPECT_EQ(ToldOfRanking(absl::StrCat("{\"limit\": \"", std::string(5000, 'x'), "\"}")),
            absl::StrCat("limit: got \"", std::string(79, 'x'),
                         "..., want a whole number of 0 to 4294967295"));
}

}  // namespace
}  // namespace priorityd::gateway
