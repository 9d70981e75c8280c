#include "server/administration/list_setting.h"

#include <gtest/gtest.h>

namespace priorityd::administration {
namespace {

TEST(ListSettingTest, NamesAreSetAddedAndTakenAway) {
  using Op = SettingOperator;
  EXPECT_EQ(ChangedNames("a,b", {"QOS", Op::kSet, "c,d"}), "c,d");
  EXPECT_EQ(ChangedNames("a,b", {"QOS", Op::kAdd, "c,b"}), "a,b,c");
  EXPECT_EQ(ChangedNames("a,b,c", {"QOS", Op::kRemove, "B,x"}), "a,c");
  EXPECT_EQ(ChangedNames("", {"QOS", Op::kAdd, "a"}), "a");
  EXPECT_EQ(ChangedNames("a,b", {"QOS", Op::kSet, "-1"}), "");
  EXPECT_EQ(ChangedNames("a", {"QOS", Op::kSet, ""}), "");
}

TEST(ListSettingTest, OfLimitsThoseThatAreNotNamedStay) {
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", "node=3,gres/gpu=1"), "cpu=4,node=3,gres/gpu=1");
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", "CPU=-1"), "node=2");
  EXPECT_EQ(ChangedLimits("cpu=4", "mem=-1"), "cpu=4");
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", "-1"), "");
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", ""), "");
}

}  // namespace
}  // namespace priorityd::administration
