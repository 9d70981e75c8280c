#include "engine/json/fault.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::json {
namespace {

using google::protobuf::FieldDescriptor;
using ::priority::v1::Job;
using ::priority::v1::UpdateJobsRequest;

std::string TypeOf(const FieldDescriptor& field) { return field.cpp_type_name(); }

// `path: what` of the first fault; empty = none.
template <typename Message = UpdateJobsRequest>
std::string FaultOf(const std::string& json, bool proto_names = false) {
  const auto fault = FaultIn(json, *Message::descriptor(), {TypeOf, proto_names});
  if (!fault.has_value()) return "";
  return absl::StrCat(fault->is_json ? "" : "no JSON: ", fault->path, ": ", fault->what);
}

TEST(FaultTest, NullAndAListAndAnObjectAreNoValuesOfAMapOrAList) {
  for (const auto& [json, fault] : std::vector<std::pair<std::string, std::string>>{
           {R"({"upserts": [{}, {"tres": {"cpu": null}}]})",
            R"(upserts[1].tres["cpu"]: got null, want double)"},
           {R"({"upserts": [{"tres": {"mem": 1, "cpu": {}}}]})",
            R"(upserts[0].tres["cpu"]: got an object, want double)"},
           {R"({"upserts": [{"tres": {"cpu": [1]}}]})",
            R"(upserts[0].tres["cpu"]: got a list, want double)"},
           {R"({"upserts": [{}, null]})", "upserts[1]: got null, want message"},
           {R"({"upserts": [{}, [{}]]})", "upserts[1]: got a list, want message"},
           {R"({"removals": ["1", null]})", "removals[1]: got null, want string"},
           {R"({"removals": ["1", "2", ["3"]]})", "removals[2]: got a list, want string"},
           {R"({"removals": [{}]})", "removals[0]: got an object, want string"}}) {
    EXPECT_EQ(FaultOf(json), fault);
  }
}

TEST(FaultTest, NullStandsForAnAbsentField) {
  EXPECT_EQ(FaultOf(R"({"cluster": null, "removals": null, "upserts": [{"tres": null}]})"), "");
}

TEST(FaultTest, EachFieldIsGivenOnceInEitherSpelling) {
  const google::protobuf::Descriptor& type = *Job::descriptor();
  std::vector<std::string> fields;
  for (int i = 0; i < type.field_count(); ++i) {
    fields.push_back(absl::StrCat("\"", type.field(i)->json_name(), "\": null"));
  }
  const std::string all = absl::StrJoin(fields, ", ");
  EXPECT_EQ(FaultOf<Job>(absl::StrCat("{", all, "}")), "");
  for (int i = 0; i < type.field_count(); ++i) {
    const std::string proto = type.field(i)->name(), camel = type.field(i)->json_name();
    const std::string what = ": got it twice, want it once";
    for (const std::string& name : {proto, camel}) {
      const std::string twice = absl::StrCat("{", all, ", \"", name, "\": null}");
      EXPECT_EQ(FaultOf<Job>(twice), name + what);
      EXPECT_EQ(FaultOf<Job>(twice, /*proto_names=*/true), proto + what);
    }
  }
}

// Two spellings are one field, but two keys.
TEST(FaultTest, EachKeyIsGivenOnceInEachMap) {
  EXPECT_EQ(FaultOf(R"({"upserts": [{"tres": {"a_b": 1, "aB": 1}}, {"tres": {"aB": 1}}]})"), "");
  EXPECT_EQ(FaultOf(R"({"upserts": [{"tres": {"cpu": 1, "mem": 1, "cpu": 2}}]})"),
            R"(upserts[0].tres["cpu"]: got it twice, want it once)");
  EXPECT_EQ(FaultOf(R"({"colour": {"a": 1, "a": 2}})"), "colour.a: got it twice, want it once");
}

TEST(FaultTest, ASyntaxErrorHasItsLineAndColumn) {
  for (const char* json : {R"({"cluster": "c",})", R"({'cluster': 'c'})", R"({cluster: "c"})",
                           "{\"cluster\": \"c\n\"}", "{\"cluster\": \"\xff\"}", "", "x", "{}{}"}) {
    EXPECT_EQ(FaultOf(json).find("no JSON: : line "), 0u) << json;
  }
  EXPECT_EQ(FaultOf("{\n  \"cluster\": \"c\",\n  \"removals\": [\"1\"\n}"),
            "no JSON: : line 4, column 1: want JSON");
  EXPECT_EQ(FaultOf("{\n  \"cluster\": \"c\",\n}"), "no JSON: : line 3, column 1: want JSON");
}

TEST(FaultTest, ObjectsAndListsInEachOtherAreBounded) {
  const auto nested = [](size_t depth) {
    std::string json = depth % 2 == 0 ? "[]" : "{}";
    while (--depth > 0) {
      json = depth % 2 == 0 ? absl::StrCat("[", json, "]") : absl::StrCat("{\"a\":", json, "}");
    }
    return json;
  };
  EXPECT_EQ(FaultOf(nested(kMaxDepth)), "");
  EXPECT_EQ(FaultOf(nested(kMaxDepth + 1)), ": want at most 100 objects and lists in each other");
  EXPECT_EQ(FaultOf(std::string(100'000, '[')),
            ": want at most 100 objects and lists in each other");
}

TEST(FaultTest, NamesAreEscapedAndCutBetweenCharacters) {
  EXPECT_EQ(FaultOf(R"({"upserts": [{"tres": {"a\u001b\"ä": null}}]})"),
            R"(upserts[0].tres["a\x1b\"ä"]: got null, want double)");
  const std::string name(79, 'x');
  EXPECT_EQ(FaultOf(absl::StrCat(R"({"upserts": [{"tres": {")", name, R"(äx": null}}]})")),
            absl::StrCat("upserts[0].tres[\"", name, "\"]: got null, want double"));
}

TEST(FaultTest, WithoutAFaultProtobufReadsAndWritesTheSame) {
  const std::vector<std::string> values = {"null",
                                           "{}",
                                           "[]",
                                           "[null]",
                                           R"("1")",
                                           R"(["1"])",
                                           R"({"jobId":"1"})",
                                           R"([{"jobId":"1"}])",
                                           R"({"jobId":"1","job_id":"1"})",
                                           R"({"tres":{"cpu":1}})",
                                           R"({"tres":{"cpu":null}})",
                                           R"({"partitions":["1","2"]})",
                                           R"({"partitions":[null]})",
                                           R"({"partitions":[["1"]]})"};
  int same = 0, lost = 0;
  for (const std::string& a : values) {
    for (const std::string& b : values) {
      for (const std::string& text :
           {absl::StrCat(R"({"upserts":[)", a, ",", b, "]}"),
            absl::StrCat(R"({"removals":[)", a, ",", b, "]}"),
            absl::StrCat(R"({"cluster":)", a, R"(,"cluster":)", b, "}")}) {
        UpdateJobsRequest request;
        std::string read;
        if (!google::protobuf::util::JsonStringToMessage(text, &request).ok()) continue;
        ASSERT_TRUE(google::protobuf::util::MessageToJsonString(request, &read).ok());
        EXPECT_TRUE(read == text || !FaultOf(text).empty()) << text << " " << read;
        ++(read == text ? same : lost);
      }
    }
  }
  EXPECT_GT(same, 10);
  EXPECT_GT(lost, 50);
}

}  // namespace
}  // namespace priorityd::json
