#include "client/prioctl/text/text.h"

#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

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
