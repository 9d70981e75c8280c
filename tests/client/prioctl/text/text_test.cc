#include "client/prioctl/text/text.h"

#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

TEST(NumberTextTest, HasSixDigitsAndNoExponentBelowThatOfLongNumbers) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(0.25), "0.25");
  EXPECT_EQ(NumberText(1.0 / 3), "0.333333");
  EXPECT_EQ(NumberText(1000), "1000");
  EXPECT_EQ(NumberText(1'800'000), "1800000");
  EXPECT_EQ(NumberText(-1'234'567.8), "-1234570");
  EXPECT_EQ(NumberText(999'999.7), "1000000");
  EXPECT_EQ(NumberText(1.5e20), "1.5e+20");
  EXPECT_EQ(NumberText(0.0000015), "1.5e-06");
}

TEST(ExactNumberTextTest, WholeNumbersHaveAllTheirDigits) {
  EXPECT_EQ(ExactNumberText(2'147'483'647), "2147483647");
  EXPECT_EQ(ExactNumberText(-1'234'567), "-1234567");
  EXPECT_EQ(ExactNumberText(0), "0");
  EXPECT_EQ(ExactNumberText(1'234'567.8), "1234570");
  EXPECT_EQ(ExactNumberText(1.5e20), "1.5e+20");
  EXPECT_EQ(ExactNumberText(0.25), "0.25");
}

TEST(LevelFsTextTest, IsInfWhereNothingWasUsedAndADashWhereThereIsNone) {
  ::priority::v1::AssociationShare share;
  EXPECT_EQ(LevelFsText(share), "-");
  share.set_level_fs(2.5);
  EXPECT_EQ(LevelFsText(share), "2.5");
  share.set_level_fs_infinite(true);
  EXPECT_EQ(LevelFsText(share), "inf");
}

}  // namespace
}  // namespace priorityd::prioctl
