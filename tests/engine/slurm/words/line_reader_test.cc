#include "engine/slurm/words/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;

std::vector<std::string> Lines(const std::string& content, FileViolations& violations) {
  const SourceFile file{"f", content};
  LineReader reader(file, violations);
  std::vector<std::string> lines;
  for (TextLine line; reader.Next(line);) {
    lines.push_back(absl::StrCat(line.number, "=", line.text));
  }
  return lines;
}

TEST(LineReaderTest, EndsOfLinesAndAByteOrderMarkAreNoText) {
  FileViolations violations;
  EXPECT_THAT(Lines("\xEF\xBB\xBF"
                    "a\r\n\nb",
                    violations),
              ElementsAre("1=a", "2=", "3=b"));
  EXPECT_THAT(Lines("a\n", violations), ElementsAre("1=a"));
  EXPECT_THAT(Lines("", violations), ElementsAre());
  EXPECT_TRUE(violations.empty());
}

TEST(LineReaderTest, LinesWithNulOrBadUtf8AreReportedAndLeftOut) {
  FileViolations violations;
  EXPECT_THAT(Lines(std::string("a\nb\0c\nd\xFF\ne", 10), violations), ElementsAre("1=a", "4=e"));
  EXPECT_THAT(ErrorTexts(violations.ToStatus()),
              ElementsAre("f line 2: got a NUL byte, want text",
                          "f line 3: got invalid UTF-8, want UTF-8 text"));
}

TEST(LineReaderTest, LongLinesAreRead) {
  FileViolations violations;
  EXPECT_EQ(Lines(std::string(10'000'000, 'x'), violations)[0].size(), 10'000'002u);
}

TEST(Utf8Test, WellFormedTextIsRecognized) {
  for (const char* text : {"", "abc", "ä", "€", "😀", "\x7F", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
  }
  for (const char* text : {"\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",
                           "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
                           "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x28\xA1", "\xFE"}) {
    EXPECT_FALSE(IsValidUtf8(text)) << text;
  }
}

}  // namespace
}  // namespace priorityd::slurm
