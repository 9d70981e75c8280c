#include "client/prioctl/replay/svg.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SvgTest, NamesOfUsersCannotBecomeMarkup) {
  Svg svg(100, 50, "<a>&\"");
  svg.Text({1, 2}, "<script>alert(1)</script>");
  svg.Bar({0, 0, 1, 1}, "#000000", "a\x01<b>");
  const std::string text = std::move(svg).Finish();
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(text, HasSubstr("a?&lt;b&gt;"));
  EXPECT_THAT(text, HasSubstr("<title>&lt;a&gt;&amp;&quot;</title>"));
}

TEST(ScaleTest, StepsAreRoundAndReachTheLargest) {
  EXPECT_THAT(ScaleTo(128).steps, ElementsAre(0, 50, 100, 150));
  EXPECT_THAT(ScaleTo(7).steps, ElementsAre(0, 2, 4, 6, 8));
  EXPECT_EQ(ScaleTo(0).top, 1);
  EXPECT_EQ(ScaleTo(1000).top, 1000);
}

}  // namespace
}  // namespace priorityd::replay
