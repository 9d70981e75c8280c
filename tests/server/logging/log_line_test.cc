#include "server/logging/log_line.h"

#include <gtest/gtest.h>

#include <string>

namespace priorityd::logging {
namespace {

TEST(LogLineTest, WhatUsersNameWritesNoLineOfItsOwn) {
  EXPECT_EQ(LogLine("c\n2026-01-05 info all is well\r"), "c\\n2026-01-05 info all is well\\r");
  EXPECT_EQ(JsonLogLine("c\n\"x\\"), "c\\n\\\"x\\\\");
}

TEST(LogLineTest, NothingSteersATerminal) {
  EXPECT_EQ(LogLine("\x1b[2J\x7f\xc2\x9b"), "\\x1b[2J\\x7f\\x9b");
  EXPECT_EQ(JsonLogLine("\x1b\xc2\x9b"), "\\u001b\\u009b");
  EXPECT_EQ(LogLine(std::string("a\0b", 3)), "a\\x00b");
}

TEST(LogLineTest, OtherTextStaysAsItIs) {
  const std::string text = "Zo\xc3\xab \xe2\x82\xac C:\\dir \xc2\xa0 \xc2";
  EXPECT_EQ(LogLine(text), text);
}

}  // namespace
}  // namespace priorityd::logging
