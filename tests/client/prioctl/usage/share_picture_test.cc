#include "client/prioctl/usage/share_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
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
    SetLevels();
    return share;
  }

  // For trees without `parent` accounts.
  void SetLevels() {
    std::map<std::string, double> sums;
    for (const AssociationShare& share : shares_.shares()) {
      sums[share.parent_account()] += share.raw_shares();
    }
    for (AssociationShare& share : *shares_.mutable_shares()) {
      share.set_level_shares(sums[share.parent_account()]);
    }
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

// tests/scenarios/parent_fair_share.txt: shares 1 and 1 below the department against 2 of the lab.
TEST_F(SharePictureTest, WithParentSharesAPartIsThatOfTheLevelAbove) {
  struct Row {
    const char *parent, *account, *user;
    uint32_t raw_shares;  // 0 = `parent`.
    double level_shares;
  };
  const std::vector<Row> rows = {{"", "root", "", 1, 1},
                                 {"root", "department", "", 0, 4},
                                 {"department", "department", "amy", 1, 4},
                                 {"department", "department", "bob", 1, 4},
                                 {"root", "lab", "", 2, 4},
                                 {"lab", "lab", "cat", 1, 1},
                                 {"lab", "lab", "dan", 0, 1}};
  shares_.clear_shares();
  for (const Row& row : rows) {
    Add(row.parent, row.account, row.user, row.raw_shares, 1)
        .set_parent_shares(row.raw_shares == 0);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    shares_.mutable_shares(static_cast<int>(i))->set_level_shares(rows[i].level_shares);
  }
  std::vector<double> allocated, widths;
  for (const SharePart& part : SharePartsOf(shares_)) {
    allocated.push_back(part.allocated);
    widths.push_back(part.width);
  }
  EXPECT_THAT(allocated, testing::ElementsAre(1, 1, 0.25, 0.25, 0.5, 0.5, 0.5));
  EXPECT_THAT(widths, testing::ElementsAre(1, 0.5, 0.25, 0.25, 0.5, 0.5, 0));
}

TEST_F(SharePictureTest, WithoutSharesAtALevelPartsAreEqualAndWithoutUsageNothingIsUsed) {
  for (AssociationShare& share : *shares_.mutable_shares()) {
    share.set_raw_shares(0);
    share.set_raw_usage(0);
  }
  SetLevels();
  const std::vector<SharePart> parts = SharePartsOf(shares_);
  EXPECT_EQ(parts[1].allocated, 0);
  EXPECT_EQ(parts[1].width, 0.5);
  EXPECT_EQ(parts[2].width, 0.25);
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

// The worked example of the SLURM 2.0 document, with the figures that it prints. Users 1, 2 and 3
// are over-serviced, it says, while user 5 is under-serviced.
TEST_F(SharePictureTest, TheTreeHasTheFiguresOfTheDocumentAndLinesAsThickAsUsage) {
  shares_.clear_shares();
  shares_.set_fair_share_algorithm("linear");
  const auto add = [this](const char* parent, const char* account, const char* user,
                          double norm_shares, double usage, double effective) {
    AssociationShare& share = Add(parent, account, user, 1, usage);
    share.set_norm_shares(norm_shares);
    share.set_effective_usage(effective);
    return &share;
  };
  add("", "root", "", 1, 0.7, 0.7);
  add("root", "A", "", 0.4, 0.45, 0.45);
  add("A", "B", "", 0.3, 0.2, 0.3875);
  add("B", "B", "user1", 0.3, 0.2, 0.3875)->set_fair_share(0.45625);
  add("A", "C", "", 0.1, 0.25, 0.3);
  add("C", "C", "user2", 0.05, 0.25, 0.275)->set_fair_share(0.3875);
  add("C", "C", "user3", 0.05, 0, 0.15)->set_fair_share(0.45);
  add("root", "D", "", 0.6, 0.25, 0.25);
  add("D", "E", "", 0.25, 0.25, 0.25);
  add("E", "E", "user4", 0.25, 0.25, 0.25)->set_fair_share(0.5);
  add("D", "F", "", 0.35, 0, 0.1458);
  add("F", "F", "user5", 0.35, 0, 0.1458)->set_fair_share(0.6021);
  const ParsedSvg svg(SharePicture(shares_, SharePartsOf(shares_), ShareForm::kTree));
  for (const char* text :
       {"NormShares 0.400000", "EffectvUsage 0.450000", "EffectvUsage 0.387500",
        "NormShares 0.050000", "EffectvUsage 0.145800", "FairShare 0.456250", "FairShare 0.387500",
        "FairShare 0.450000", "FairShare 0.500000", "FairShare 0.602100"}) {
    EXPECT_THAT(svg.texts, testing::Contains(text));
  }
  // The lines in the order of the associations: A, B, user 1, C, user 2, ...; D is the seventh.
  ASSERT_EQ(svg.lines.size(), 11u);
  EXPECT_NEAR(svg.lines[0] / svg.lines[6], 45.0 / 25, 0.01);
  EXPECT_LT(svg.Find("root: ")->y, svg.Find("A: ")->y);
  EXPECT_EQ(svg.Find("D: ")->y, svg.Find("A: ")->y);
  for (const char* user : {"user1: ", "user2: ", "user3: "}) {
    EXPECT_THAT(svg.Find(user)->about, testing::EndsWith(", over-served")) << user;
  }
  EXPECT_THAT(svg.Find("user4: ")->about, testing::EndsWith(" of all"));
  EXPECT_THAT(svg.Find("user5: ")->about, testing::EndsWith(", under-served"));
  EXPECT_NE(svg.Find("user2: ")->fill, svg.Find("user5: ")->fill);
}

// LevelFS 1 is where usage is as the shares; F = 2^-(usage / shares) is 1/2 there, and 2^-2 where
// usage is twice the shares, which is a third of log2(8).
TEST_F(SharePictureTest, TheStandingIsByLevelFsOrElseByTheFactor) {
  shares_.clear_shares();
  Add("", "root", "", 1, 0);
  Add("root", "twice", "", 1, 0).set_level_fs(2);
  AssociationShare& user = Add("root", "root", "user", 1, 0);
  user.set_level_fs_infinite(true);
  user.set_fair_share(0.1);
  AssociationShare& as_parent = Add("root", "root", "as_parent", 1, 0);
  as_parent.set_level_fs_infinite(true);
  as_parent.set_parent_shares(true);
  as_parent.set_fair_share(0.1);
  for (const double factor : {0.25, 0.5, 0.0, 1.0}) {
    Add("root", "factor", "", 1, 0).set_fair_share(factor);
  }
  std::vector<std::pair<std::string, double>> standings;
  for (const SharePart& part : SharePartsOf(shares_)) {
    standings.emplace_back(part.standing_text, part.standing);
  }
  using testing::DoubleNear;
  using testing::Pair;
  EXPECT_THAT(standings, testing::ElementsAre(
                             Pair("", 0), Pair("LevelFS 2.000000", DoubleNear(1.0 / 3, 1e-12)),
                             Pair("LevelFS inf", 1), Pair("", 0),
                             Pair("FairShare 0.250000", DoubleNear(-1.0 / 3, 1e-12)),
                             Pair("FairShare 0.500000", 0), Pair("FairShare 0.000000", -1),
                             Pair("FairShare 1.000000", 1)));
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
