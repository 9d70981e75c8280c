// The text of a site's service is cut, and controls no terminal.
#include "server/api/site_factor/printable_reason.h"

#include <gtest/gtest.h>

#include <string>

namespace priorityd::rpc {
namespace {

TEST(PrintableReasonTest, OrdinaryTextStaysAsItIs) {
  for (const char* text : {"", "jobs of amy used 31% of their CPUs",
                           "R\u00e9sum\u00e9 \"\\\" \u65e5\u672c \U0001f600"}) {
    EXPECT_EQ(PrintableReason(text), text);
  }
}

TEST(PrintableReasonTest, TwoHundredCharactersAreShown) {
  const std::string ascii(200, 'x');
  EXPECT_EQ(PrintableReason(ascii), ascii);
  EXPECT_EQ(PrintableReason(ascii + "y"), ascii + "...");
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += "\u65e5";
  EXPECT_EQ(PrintableReason(wide), wide);
  EXPECT_EQ(PrintableReason(wide + "y"), wide + "...");
}

TEST(PrintableReasonTest, CharactersThatControlATerminalOrTheDirectionAreEscaped) {
  EXPECT_EQ(PrintableReason("a\x1b[31mb\nc\x7f"), "a\\x1b[31mb\\nc\\x7f");
  EXPECT_EQ(PrintableReason(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(PrintableReason("\u0085"), "\\u0085");
  EXPECT_EQ(PrintableReason("\u202e\u2066\u200b\u2028\u00ad\ufeff"),
            "\\u202e\\u2066\\u200b\\u2028\\u00ad\\ufeff");
  EXPECT_EQ(PrintableReason("\u034f\u115f\u1160\u180e\u3164\uffa0\U000e0041\U000f0041"),
            "\\u034f\\u115f\\u1160\\u180e\\u3164\\uffa0\\U000e0041\U000f0041");
}

}  // namespace
}  // namespace priorityd::rpc
