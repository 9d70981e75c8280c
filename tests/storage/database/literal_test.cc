#include "storage/database/literal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "storage/database/parameter.h"

namespace priorityd::storage {
namespace {

using Elements = std::vector<std::optional<std::string>>;

template <typename T>
std::optional<T> RoundTrip(const T& value) {
  T decoded;
  if (!DecodeText(EncodeText(value), &decoded)) return std::nullopt;
  return decoded;
}

std::optional<Elements> Decoded(absl::string_view text) {
  Elements elements;
  if (!DecodeArray(text, &elements)) return std::nullopt;
  return elements;
}

TEST(LiteralTest, EveryDoubleReadsBackToTheSameBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    ASSERT_EQ(RoundTrip(value), value) << EncodeText(value);
  }
}

TEST(LiteralTest, InfinityAndNaNHavePostgresNames) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(EncodeText(infinity), "Infinity");
  EXPECT_EQ(EncodeText(-infinity), "-Infinity");
  EXPECT_EQ(RoundTrip(infinity), infinity);
  EXPECT_EQ(RoundTrip(-infinity), -infinity);
  EXPECT_TRUE(std::isnan(RoundTrip(std::nan("")).value()));
}

TEST(LiteralTest, TimesKeepTheirMicroseconds) {
  for (int64_t micros : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{1700000000123456},
                         int64_t{253402300799999999}, int64_t{-62135596800000000}}) {
    EXPECT_EQ(RoundTrip(absl::FromUnixMicros(micros)), absl::FromUnixMicros(micros)) << micros;
  }
}

TEST(LiteralTest, TimesAreCutNotRounded) {
  EXPECT_EQ(RoundTrip(absl::UnixEpoch() + absl::Nanoseconds(1999)), absl::FromUnixMicros(1));
}

TEST(LiteralTest, TimesOutsideFourDigitYearsAreInfinite) {
  EXPECT_EQ(RoundTrip(absl::InfinitePast()), absl::InfinitePast());
  EXPECT_EQ(RoundTrip(absl::InfiniteFuture()), absl::InfiniteFuture());
  EXPECT_EQ(RoundTrip(absl::FromUnixSeconds(253402300800)), absl::InfiniteFuture());
  EXPECT_EQ(RoundTrip(absl::FromUnixSeconds(-62135596801)), absl::InfinitePast());
}

TEST(LiteralTest, TimesReadAsPostgresWritesThem) {
  absl::Time time;
  ASSERT_TRUE(DecodeText("2024-02-29 23:59:59+00", &time));
  EXPECT_EQ(time, absl::FromCivil(absl::CivilSecond(2024, 2, 29, 23, 59, 59), absl::UTCTimeZone()));
  ASSERT_TRUE(DecodeText("2024-02-29 23:59:59.5+00", &time));
  EXPECT_EQ(absl::ToUnixMicros(time) % 1000000, 500000);
}

TEST(LiteralTest, TextThatIsNoValueIsRefused) {
  int64_t integer;
  double number;
  bool truth;
  absl::Time time;
  for (const char* text : {"", " 1", "1 ", "1x", "x", "+1"}) {
    EXPECT_FALSE(DecodeText(text, &integer)) << text;
    EXPECT_FALSE(DecodeText(text, &number)) << text;
  }
  EXPECT_FALSE(DecodeText("9223372036854775808", &integer));
  EXPECT_FALSE(DecodeText("true", &truth));
  for (const char* text :
       {"", "2024-01-01", "2024-01-01 00:00:00", "2024-01-01 00:00:00+01",
        "2024-01-01 00:00:00.+00", "2024-01-01 00:00:00.1234567+00", "0044-03-15 00:00:00+00 BC"}) {
    EXPECT_FALSE(DecodeText(text, &time)) << text;
  }
}

TEST(LiteralTest, ArraysReadBackWhateverTheirTexts) {
  const std::vector<std::string> texts = {"",    "NULL",  "null", "{}",    "\"",       "\\",  ",",
                                          "a b", "{a,b}", "\\\"", "plain", "\xc3\xa9", "a\nb"};
  ArrayLiteral literal;
  for (const std::string& text : texts) literal.Add(text);
  std::vector<std::string> decoded;
  ASSERT_TRUE(DecodeText(std::move(literal).Finish(), &decoded));
  EXPECT_EQ(decoded, texts);
}

TEST(LiteralTest, NullIsNotTheWordNull) {
  ArrayLiteral literal;
  literal.AddNull();
  literal.Add("NULL");
  EXPECT_EQ(Decoded(std::move(literal).Finish()), (Elements{std::nullopt, "NULL"}));
}

TEST(LiteralTest, AnArrayInAnArrayIsAQuotedLiteral) {
  ArrayLiteral literal;
  literal.Add(std::vector<std::string>{"a,b", "c\""});
  literal.Add(std::vector<std::string>());
  std::vector<std::string> inner;
  std::vector<std::string> outer;
  ASSERT_TRUE(DecodeText(std::move(literal).Finish(), &outer));
  ASSERT_EQ(outer.size(), 2u);
  EXPECT_EQ(outer[1], "{}");
  ASSERT_TRUE(DecodeText(outer[0], &inner));
  EXPECT_EQ(inner, (std::vector<std::string>{"a,b", "c\""}));
}

TEST(LiteralTest, MalformedArraysAreRefused) {
  for (const char* text : {"", "{", "}", "a", "{a", "{a,}", "{,a}", "{\"a}", "{\"a\"b}", "{{a}}",
                           "{a}b", "{a}}", "{\"a\\\"}"}) {
    EXPECT_EQ(Decoded(text), std::nullopt) << text;
  }
  std::vector<int32_t> integers;
  EXPECT_FALSE(DecodeText("{1,NULL}", &integers));
}

TEST(ParameterTest, AnEmptyOptionalIsNullAndAnEmptyTextIsNot) {
  EXPECT_EQ(Parameter(std::optional<int64_t>()).text(), std::nullopt);
  EXPECT_EQ(Parameter(std::optional<std::string>("")).text(), "");
  EXPECT_EQ(Parameter(std::vector<double>()).text(), "{}");
  EXPECT_EQ(Parameter(true).text(), "t");
}

TEST(ParameterTest, ANulByteIsSeenAlsoInsideAnArray) {
  const std::string nul("a\0b", 3);
  EXPECT_TRUE(Parameter(nul).HasNulByte());
  EXPECT_TRUE(Parameter(std::vector<std::string>{"a", nul}).HasNulByte());
  EXPECT_FALSE(Parameter("a").HasNulByte());
}

}  // namespace
}  // namespace priorityd::storage
