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
  for (const char* bad : {"", "-1", "1.5", "3k", "0x", "k", "UNLIMITED", "0xfff", "1M"}) {
    EXPECT_FALSE(ReadConfInteger(bad, 2048).has_value()) << bad;
  }
}

}  // namespace
}  // namespace priorityd::slurm
