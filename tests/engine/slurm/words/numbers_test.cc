#include "engine/slurm/words/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace priorityd::slurm {
namespace {

TEST(DecimalTextTest, IsShortAndReadsBack) {
  EXPECT_EQ(DecimalText(2000), "2000");
  EXPECT_EQ(DecimalText(-0.1), "-0.1");
  EXPECT_EQ(DecimalText(1234567), "1234567");
  for (const double value : {1.0 / 3, 1e300, 0.1 + 0.2, std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::max()}) {
    EXPECT_EQ(ReadDecimal(DecimalText(value)), value);
  }
}

TEST(ReadDecimalTest, WordsAndHexadecimalAreNoNumbers) {
  for (const char* text : {"", "inf", "nan", "0x10", "1e999", " 1", "1,5"}) {
    EXPECT_FALSE(ReadDecimal(text).has_value()) << text;
  }
}

TEST(ReadIntegerTest, OnlyDigitsUpToTheBound) {
  EXPECT_EQ(ReadInteger("007", 7), 7u);
  for (const char* text : {"", "8", "-1", "+1", "1.0", "99999999999999999999"}) {
    EXPECT_FALSE(ReadInteger(text, 7).has_value()) << text;
  }
}

TEST(ReadConfIntegerTest, IsReadAsSlurmctldReadsIt) {
  EXPECT_EQ(ReadConfInteger("12", 100), 12u);
  EXPECT_EQ(ReadConfInteger("0X1f", 100), 31u);
  EXPECT_EQ(ReadConfInteger("2k", 2048), 2048u);
  EXPECT_EQ(ReadConfInteger("unlimited", 4294967295), 4294967295u);
  EXPECT_EQ(ReadConfInteger("0100", 100), 64u);
  EXPECT_EQ(ReadConfInteger("00", 100), 0u);
  EXPECT_EQ(ReadConfInteger("+5", 100), 5u);
  for (const char* bad : {"", "08", "0777777777777777777777777", "-1", "1.5", "3k", "0x", "k",
                          "UNLIMITED", "0xfff", "1M", "+", "++5", "+-5"}) {
    EXPECT_FALSE(ReadConfInteger(bad, 2048).has_value()) << bad;
  }
}

// As squeue and scontrol of Slurm 22.05 print them.
TEST(MegabytesTextTest, TheUnitLeavesAtMostAHalf) {
  const std::pair<int64_t, const char*> kPrinted[] = {
      {0, "0M"},           {512, "512M"},       {1000, "1000M"},    {1024, "1G"},
      {1536, "1.50G"},     {64000, "62.50G"},   {64512, "63G"},     {100000, "100000M"},
      {192000, "187.50G"}, {257000, "257000M"}, {1572864, "1.50T"}, {1600000, "1562.50G"}};
  for (const auto& [megabytes, text] : kPrinted) EXPECT_EQ(MegabytesText(megabytes), text);
}

}  // namespace
}  // namespace priorityd::slurm
