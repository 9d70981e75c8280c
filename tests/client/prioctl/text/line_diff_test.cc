#include "client/prioctl/text/line_diff.h"

#include <string>

#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

TEST(LineDiffTest, OnlyLinesThatDifferArePrinted) {
  EXPECT_EQ(LineDiff("a\nb\nc\n", "a\nB\nc\n"), "-b\n+B\n");
  EXPECT_EQ(LineDiff("a\nc\n", "a\nb\nc\nd\n"), "+b\n+d\n");
  EXPECT_EQ(LineDiff("x\na\ny\nb\nz\n", "a\nb\n"), "-x\n-y\n-z\n");
  EXPECT_EQ(LineDiff("a\n", "a\n"), "");
  EXPECT_EQ(LineDiff("", "a\n"), "+a\n");
  EXPECT_EQ(LineDiff("a", ""), "-a\n");
}

TEST(LineDiffTest, OfLongTextsAllBetweenTheDifferencesIsPrinted) {
  std::string before = "same\n";
  std::string after = "same\n";
  for (int i = 0; i < 5000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  const std::string diff = LineDiff(before + "end\n", after + "end\n");
  EXPECT_EQ(diff.find("same"), std::string::npos);
  EXPECT_EQ(diff.find("end"), std::string::npos);
  EXPECT_EQ(diff.substr(0, 7), "-old 0\n");
}

}  // namespace
}  // namespace priorityd::prioctl
