#include "client/prioctl/usage/share_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/client/pictures/parsed_svg.h"

namespace priorityd::prioctl {
namespace {

using pictures::ParsedRect;
using pictures::ParsedSvg;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ::priority::v1::AssociationShare;
using ::priority::v1::ListSharesResponse;

// root; a with 3 shares, in it amy and ben with 1 each; b with 1 share; what each used.
class SharePictureTest : public ::testing::Test {
 protected:
  SharePictureTest() {
    shares_.mutable_snapshot()->set_cluster("c");
    shares_.set_fair_share_algorithm("fair_tree");
    Add("", "root", "", 1, 1000);
    Add("root", "a", "", 3, 250);
    Add("a", "a", "amy", 1, 250);
    Add("a", "a", "ben", 1, 0);
    Add("root", "b", "", 1, 750);
  }

  AssociationShare& Add(const std::string& parent, const std::string& account,
                        const std::string& user, uint32_t raw_shares, double raw_usage) {
    AssociationShare& share = *shares_.add_shares();
    share.set_parent_account(parent);
    share.set_account(account);
    share.set_user(user);
    share.set_raw_shares(raw_shares);
    share.set_raw_usage(raw_usage);
    return share;
  }

  std::string Draw() { return SharePicture(shares_, SharePartsOf(shares_)); }

  ListSharesResponse shares_;
};

TEST_F(SharePictureTest, PartsAreThoseOfTheWholeCluster) {
  const std::vector<SharePart> parts = SharePartsOf(shares_);
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[0].allocated, 1);
  EXPECT_EQ(parts[1].allocated, 0.75);
  EXPECT_EQ(parts[2].allocated, 0.375);
  EXPECT_EQ(parts[2].used, 0.25);
  EXPECT_EQ(parts[2].parent, 1);
  EXPECT_EQ(parts[2].depth, 2);
  EXPECT_EQ(parts[4].used, 0.75);
}

TEST_F(SharePictureTest, WithoutSharesAtALevelPartsAreEqualAndWithoutUsageNothingIsUsed) {
  for (AssociationShare& share : *shares_.mutable_shares()) {
    share.set_raw_shares(0);
    share.set_raw_usage(0);
  }
  const std::vector<SharePart> parts = SharePartsOf(shares_);
  EXPECT_EQ(parts[1].allocated, 0.5);
  EXPECT_EQ(parts[2].allocated, 0.25);
  EXPECT_EQ(parts[1].used, 0);
  EXPECT_THAT(ParsedSvg(Draw()).texts, testing::Contains("nothing yet"));
}

TEST_F(SharePictureTest, ServiceIsByHowManyTimesThePartWasUsed) {
  EXPECT_EQ(ServiceOf({.allocated = 0.5, .used = 0.5}), 0);
  EXPECT_EQ(ServiceOf({.allocated = 0.5, .used = 0}), 1);
  EXPECT_EQ(ServiceOf({.allocated = 0, .used = 0.5}), -1);
  EXPECT_NEAR(ServiceOf({.allocated = 0.5, .used = 0.25}), 1.0 / 3, 1e-12);
  EXPECT_EQ(ServiceOf({.allocated = 0.001, .used = 0.5}), -1);
}

TEST_F(SharePictureTest, TheAreasAreTheParts) {
  const ParsedSvg svg(Draw());
  EXPECT_EQ(svg.title, "Shares of c");
  const ParsedRect* root = svg.Find("root: ");
  const ParsedRect* a = svg.Find("a: allocated 75.00%, used 25.00%, under-served");
  const ParsedRect* b = svg.Find("b: allocated 25.00%, used 75.00%, over-served");
  ASSERT_TRUE(root != nullptr && a != nullptr && b != nullptr);
  EXPECT_NEAR(a->height / root->height, 0.75, 0.01);
  EXPECT_NEAR(b->height / root->height, 0.25, 0.01);
  EXPECT_GT(a->x, root->x);
  EXPECT_NEAR(b->y, a->y + a->height, 1);
  EXPECT_NE(a->fill, b->fill);
  // Of the two icicles; ben used nothing.
  EXPECT_EQ(std::count_if(svg.rects.begin(), svg.rects.end(),
                          [](const ParsedRect& rect) { return rect.about.rfind("ben", 0) == 0; }),
            1);
}

TEST_F(SharePictureTest, ASectorOfThePiesBeginsWhereTheOneBeforeItEnds) {
  const ParsedSvg svg(SharePicture(shares_, SharePartsOf(shares_), ShareForm::kPies));
  std::vector<std::string> abouts, paths;
  for (const auto& path : svg.paths) {
    abouts.push_back(path.about.substr(0, path.about.find(':')));
    paths.push_back(path.d);
  }
  // Each pie; ben used nothing.
  EXPECT_THAT(abouts,
              testing::ElementsAre("root", "a", "amy", "ben", "b", "root", "a", "amy", "b"));
  // Three quarters of the circle end on the left, a radius of two rings from the middle; the last
  // quarter begins there. A box of 448 x 448 at (20, 92) has its middle at (244, 316) and rings of
  // 224 / 3 = 74.67: 244 - 149.33 = 94.67.
  EXPECT_THAT(paths[1], HasSubstr(" 1 1 94.67 316 "));
  EXPECT_THAT(paths[4], testing::StartsWith("M 94.67 316 A "));
}

// The example of figure 3 of the SLURM 2.0 document, at its top.
TEST_F(SharePictureTest, TheTreeHasABoxForEachAssociationAndALineAsThickAsItsUsage) {
  shares_.clear_shares();
  Add("", "root", "", 1, 70).set_effective_usage(0.7);
  Add("root", "A", "", 40, 45).set_effective_usage(0.45);
  Add("root", "D", "", 60, 25).set_effective_usage(0.25);
  const ParsedSvg svg(SharePicture(shares_, SharePartsOf(shares_), ShareForm::kTree));
  for (const char* text :
       {"A", "allocated 40.00%", "effective 45.00%", "D", "allocated 60.00%", "effective 25.00%"}) {
    EXPECT_THAT(svg.texts, testing::Contains(text));
  }
  ASSERT_EQ(svg.lines.size(), 2u);
  EXPECT_NEAR(svg.lines[0] / svg.lines[1], 45.0 / 25, 0.01);
  EXPECT_LT(svg.Find("root: ")->y, svg.Find("A: ")->y);
  EXPECT_EQ(svg.Find("D: ")->y, svg.Find("A: ")->y);
}

TEST_F(SharePictureTest, ALargeTreeLeavesOutItsLowestLevelAndSaysSo) {
  for (int i = 0; i < 50; ++i) Add("b", "b", "user" + std::to_string(i), 1, 0);
  const ParsedSvg svg(SharePicture(shares_, SharePartsOf(shares_), ShareForm::kTree));
  EXPECT_THAT(svg.texts, testing::Contains("not drawn: associations below level 1"));
  EXPECT_EQ(svg.Find("user7: "), nullptr);
  EXPECT_NE(svg.Find("b: "), nullptr);
}

TEST_F(SharePictureTest, NamesAreDataAndNothingElse) {
  Add("root", "<script>alert(1)</script>", "", 10, 0);
  EXPECT_THAT(Draw(), Not(HasSubstr("<script")));
  EXPECT_NE(ParsedSvg(Draw()).Find("<script>alert(1)</script>: "), nullptr);
}

TEST_F(SharePictureTest, ATreeOfNothingIsAnEmptyPicture) {
  shares_.clear_shares();
  EXPECT_THAT(SharePartsOf(shares_), IsEmpty());
  EXPECT_EQ(ParsedSvg(Draw()).title, "Shares of c");
}

}  // namespace
}  // namespace priorityd::prioctl
