#include "server/logging/log_fields.h"

#include <gtest/gtest.h>

#include <string>

namespace priorityd::logging {
namespace {

TEST(LogFieldsTest, TextQuotesWhatIsNoWord) {
  EXPECT_EQ(ToText({{"a", std::string("w")}, {"b", std::string("two words")}}),
            " a=w b=\"two words\"");
  EXPECT_EQ(ToText({{"a", std::string()}, {"b", std::string("x=\"y\n")}}),
            " a=\"\" b=\"x=\\\"y\\n\"");
  EXPECT_EQ(ToText({{"name", std::string("Zo\xc3\xab")}, {"csi", std::string("\xc2\x9b")}}),
            " name=Zo\xc3\xab csi=\"\\u009b\"");
}

TEST(LogFieldsTest, JsonKeepsNumbersAndTruthValues) {
  EXPECT_EQ(ToJson({{"n", int64_t{7}}, {"ms", absl::Microseconds(1500)}, {"slow", true}}),
            ",\"n\":7,\"ms\":1.50,\"slow\":true");
  EXPECT_EQ(ToJson({{"text", std::string("7")}}), ",\"text\":\"7\"");
}

TEST(LogFieldsTest, NoLineHasFieldsOfAnother) {
  Log(spdlog::level::off, "", {{"a", std::string("w")}});
  EXPECT_TRUE(FieldsOfThisLine().empty());
}

}  // namespace
}  // namespace priorityd::logging
