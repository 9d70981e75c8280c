#include "client/prioctl/sreport/report_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/prioctl/sreport/report_table.h"
#include "client/prioctl/sreport/sreport.h"
#include "tests/client/pictures/parsed_svg.h"

namespace priorityd::prioctl {
namespace {

using pictures::ParsedSvg;
using ::testing::Contains;
using ::testing::HasSubstr;

const absl::Time kReportStart = absl::FromUnixSeconds(1767571200);  // 2026-01-05 UTC.

class ReportPictureTest : public ::testing::Test {
 protected:
  ReportPictureTest() {
    for (const auto& [account, parent] :
         {std::pair("a", "root"), std::pair("b", "root"), std::pair("root", "")}) {
      auto* added = report_.add_accounts();
      added->set_account(account);
      added->set_parent_account(parent);
    }
    report_.set_cluster("c");
    (*report_.mutable_cluster_tres())["cpu"] = 10;
  }

  void Add(const std::string& account, const std::string& user, double cpu_minutes) {
    auto* row = report_.add_rows();
    row->mutable_start_time()->set_seconds(absl::ToUnixSeconds(kReportStart));
    row->mutable_end_time()->set_seconds(absl::ToUnixSeconds(kReportStart + absl::Hours(24)));
    row->set_account(account);
    row->set_user(user);
    (*row->mutable_tres_seconds())["cpu"] = 60 * cpu_minutes;
  }

  SreportOptions Options(const std::vector<std::string>& words) {
    SreportOptions options;
    std::string cluster;
    EXPECT_EQ(ParseReportWords(words, options, cluster), absl::OkStatus());
    options.start = "2026-01-05";
    options.end = "2026-01-06";
    return options;
  }

  ParsedSvg Draw(const SreportOptions& options) {
    const auto request = ReportRequest(options, kReportStart, absl::UTCTimeZone());
    EXPECT_TRUE(request.ok()) << request.status();
    return ParsedSvg(ReportPicture(*request, report_, options, absl::UTCTimeZone()));
  }

  ::priority::v1::ReportUsageResponse report_;
};

TEST_F(ReportPictureTest, EachLineOfTheTableHasABarWithItsFigure) {
  Add("a", "amy", 90);
  Add("b", "ben", 30);
  SreportOptions options = Options({"cluster", "AccountUtilizationByUser"});
  options.time_format.unit = ReportUnit::kHours;
  options.full_precision = true;
  const ParsedSvg svg = Draw(options);
  options.header = false;
  options.layout = SlurmLayout::kParsable2;
  const auto request = ReportRequest(options, kReportStart, absl::UTCTimeZone());
  std::ostringstream printed;
  PrintReport(*request, report_, options, absl::UTCTimeZone(), printed);
  for (const char* bar : {"root: 2", "a: 1.5", "amy: 1.5", "b: 0.5", "ben: 0.5"}) {
    ASSERT_NE(svg.Find(bar), nullptr) << bar;
  }
  EXPECT_THAT(printed.str(), HasSubstr("c|a|amy||1.5|"));
  EXPECT_NEAR(svg.Find("ben: ")->width / svg.Find("root: ")->width, 0.25, 0.001);
  EXPECT_THAT(svg.texts, Contains("cpu Hours"));
  EXPECT_THAT(svg.title, HasSubstr("2026-01-05T00:00:00 - 2026-01-05T23:59:59"));
}

TEST_F(ReportPictureTest, WhatHasNoRoomIsCounted) {
  for (int i = 0; i < kMostBars + 7; ++i) Add("a", absl::StrCat("u", i), 1);
  const ParsedSvg svg = Draw(Options({"cluster", "UserUtilizationByAccount"}));
  EXPECT_THAT(svg.texts, Contains("and 7 more"));
  EXPECT_EQ(svg.rects.size(), kMostBars + 1u);
}

TEST_F(ReportPictureTest, WhereNothingWasUsedItSaysSo) {
  EXPECT_THAT(Draw(Options({"user", "top"})).texts, Contains("nothing was used"));
}

TEST_F(ReportPictureTest, SizesHaveNoPicture) {
  SreportOptions options = Options({"job", "SizesByAccount"});
  EXPECT_EQ(CheckReportPicture(options), absl::OkStatus());
  options.picture.svg = "-";
  EXPECT_THAT(std::string(CheckReportPicture(options).message()), HasSubstr("SizesByAccount"));
}

}  // namespace
}  // namespace priorityd::prioctl
