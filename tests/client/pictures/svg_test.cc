#include "client/pictures/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "tests/client/pictures/parsed_svg.h"

namespace priorityd::pictures {
namespace {

using ::testing::ElementsAre;

TEST(SvgTest, WhatIsWrittenIsWhatAParserReads) {
  const std::string odd = "a<b>&\"c'\n\xc3\xa9";
  Svg svg(100.5, 50, odd);
  svg.Text(1, 2, odd);
  svg.Rect({1, 2, 3.456, 4}, "#fff", odd);
  svg.Line({0, 0}, {1, 1}, {.color = "#000"});
  const ParsedSvg parsed(std::move(svg).Finish());
  EXPECT_EQ(parsed.title, odd);
  EXPECT_THAT(parsed.texts, ElementsAre(odd));
  ASSERT_EQ(parsed.rects.size(), 2u);
  EXPECT_EQ(parsed.rects[1].about, odd);
  EXPECT_EQ(parsed.rects[1].width, 3.46);
}

TEST(SvgTest, BytesThatXmlHasNotAreReplaced) {
  EXPECT_EQ(XmlEscaped(std::string("a\0b\x01\xff\xc3", 6)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(XmlEscaped("\xf0\x9f\x98\x80\xe2\x82\xac"), "\xf0\x9f\x98\x80\xe2\x82\xac");
}

// Char of XML 1.0: up to U+D7FF, from U+E000 to U+FFFD, from U+10000 to U+10FFFF.
TEST(SvgTest, CharactersAtTheEdgesOfXmlStay) {
  for (const char* text : {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbd", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(XmlEscaped(text), text);
  }
}

TEST(SvgTest, WhatXmlExcludesBeyondTheEdgesIsReplaced) {
  for (const char* text :
       {"\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xfc\x88\x80\x80", "\x80", "\xbf\xbf"}) {
    const std::string escaped = XmlEscaped(text);
    EXPECT_EQ(escaped.size() % 3, 0u) << absl::CHexEscape(text);
    EXPECT_EQ(absl::StrReplaceAll(escaped, {{"\xef\xbf\xbd", ""}}), "") << absl::CHexEscape(text);
  }
}

TEST(SvgTest, TextIsCutBetweenCharacters) {
  const double width = 5.5 * 10 * 0.58;  // Room for five.
  EXPECT_EQ(SvgCut("abcde", width, 10), "abcde");
  EXPECT_EQ(SvgCut("abcdef", width, 10), "abcd\xe2\x80\xa6");
  EXPECT_EQ(SvgCut("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", width, 10),
            "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xe2\x80\xa6");
  EXPECT_EQ(SvgCut("abc", 3, 10), "");
}

TEST(ScaleTest, StepsAreRoundAndReachTheLargest) {
  EXPECT_THAT(ScaleTo(128).steps, ElementsAre(0, 50, 100, 150));
  EXPECT_THAT(ScaleTo(7).steps, ElementsAre(0, 2, 4, 6, 8));
  EXPECT_EQ(ScaleTo(0).top, 1);
  EXPECT_EQ(ScaleTo(1000).top, 1000);
}

}  // namespace
}  // namespace priorityd::pictures
