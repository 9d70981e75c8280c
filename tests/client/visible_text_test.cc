#include "client/visible_text.h"

#include <gtest/gtest.h>

#include <ostream>
#include <sstream>
#include <string>

namespace priorityd::client {
namespace {

std::string Shown(const std::string& text, size_t piece) {
  std::ostringstream out;
  {
    VisibleText visible(out.rdbuf());
    std::ostream stream(&visible);
    for (size_t at = 0; at < text.size(); at += piece) stream << text.substr(at, piece);
    for (const char byte : text) stream.put(byte);
    EXPECT_TRUE(stream.flush().good());
  }
  return out.str();
}

TEST(VisibleTextTest, WhatTurnsHidesOrCommandsIsShownAndAllElseIsAsItIs) {
  const std::string text =
      "ann\u202emeroot \u2066x\u2069 \u200b\u061c\ufeff \u009b31m"
      " caf\u00e9 \u2014 \u2028 \u65e5 \U0001f600 \x1b[1m\n"
      "\u034f\u115f\u1160\u180e\u3164\uffa0\U000e0041 \u0301\u1200\u3042\U000f0041\n"
      "\xe2\x80";
  const std::string shown =
      "ann\\u202emeroot \\u2066x\\u2069 \\u200b\\u061c\\ufeff \\u009b31m"
      " caf\xc3\xa9 \xe2\x80\x94 \\u2028 \xe6\x97\xa5 \xf0\x9f\x98\x80 \x1b[1m\n"
      "\\u034f\\u115f\\u1160\\u180e\\u3164\\uffa0\\udb40\\udc41 "
      "\u0301\u1200\u3042\U000f0041\n"
      "\xe2\x80";
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, text.size()}) {
    EXPECT_EQ(Shown(text, piece), shown + shown) << piece;
  }
  EXPECT_EQ(Shown("\xe2"
                  "a\x80\xc2",
                  1),
            "\xe2"
            "a\x80\xc2\xe2"
            "a\x80\xc2");
}

TEST(VisibleTextTest, ErrorsShowControlCharacters) {
  EXPECT_EQ(WithVisibleControls("job: got \x1b[31mx\r\x7f\ta\n"),
            "job: got \\u001b[31mx\\u000d\\u007f\\u0009a\n");
  EXPECT_EQ(WithVisibleControls("na\u00efve"), "na\u00efve");
}

}  // namespace
}  // namespace priorityd::client
