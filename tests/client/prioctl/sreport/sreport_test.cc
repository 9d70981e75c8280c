#include "client/prioctl/sreport/sreport.h"

#include <sstream>

#include "absl/strings/str_cat.h"
#include "client/prioctl/sreport/report_rows.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ReportUsageResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const absl::Time kStart = absl::FromUnixSeconds(1767571200);  // 2026-01-05 UTC.

// Options as the words make them.
SreportOptions Options(const std::vector<std::string>& words) {
  SreportOptions options;
  std::string cluster;
  EXPECT_EQ(ParseReportWords(words, options, cluster), absl::OkStatus());
  return options;
}

class SreportTest : public ::testing::Test {
 protected:
  SreportTest() {
    for (const auto& [account, parent] : {std::pair("a1", "a"), std::pair("b", "root"),
                                          std::pair("a", "root"), std::pair("root", "")}) {
      auto* added = report_.add_accounts();
      added->set_account(account);
      added->set_parent_account(parent);
    }
    report_.set_cluster("c");
    (*report_.mutable_cluster_tres())["cpu"] = 10;
    (*report_.mutable_cluster_tres())["billing"] = 20;
  }

  // `cpu_minutes` in the hour from kStart + `hours` on.
  void Add(const std::string& account, const std::string& user, double cpu_minutes,
           const std::string& qos = "", int hours = 0) {
    auto* row = report_.add_rows();
    row->mutable_start_time()->set_seconds(absl::ToUnixSeconds(kStart + absl::Hours(hours)));
    row->mutable_end_time()->set_seconds(absl::ToUnixSeconds(kStart + absl::Hours(hours + 1)));
    row->set_account(account);
    row->set_user(user);
    row->set_qos(qos);
    (*row->mutable_tres_seconds())["cpu"] = 60 * cpu_minutes;
    (*row->mutable_tres_seconds())["billing"] = 120 * cpu_minutes;
  }

  std::string Print(SreportOptions options) {
    options.start = "2026-01-05";
    options.end = "2026-01-06";
    const auto request = ReportRequest(options, kStart, absl::UTCTimeZone());
    EXPECT_TRUE(request.ok()) << request.status();
    std::ostringstream out;
    PrintReport(*request, report_, options, absl::UTCTimeZone(), out);
    return out.str();
  }
  // Without the lines before the rows, `|` between fields.
  std::string Rows(SreportOptions options) {
    options.header = false;
    options.layout = SlurmLayout::kParsable2;
    return Print(options);
  }

  ReportUsageResponse report_;
};

TEST_F(SreportTest, LooksLikeSlurmsOwn) {
  Add("a", "no-such-user", 30);
  EXPECT_EQ(Print(Options({"cluster", "AccountUtilizationByUser"})),
            "--------------------------------------------------------------------------------\n"
            "Cluster/Account/User Utilization 2026-01-05T00:00:00 - 2026-01-05T23:59:59 (86400 "
            "secs)\n"
            "Usage reported in CPU Minutes\n"
            "--------------------------------------------------------------------------------\n"
            "  Cluster         Account     Login     Proper Name     Used   Energy \n"
            "--------- --------------- --------- --------------- -------- -------- \n"
            "        c            root                                 30        0 \n"
            "        c               a                                 30        0 \n"
            "        c               a no-such-+                       30        0 \n");
}

// As Slurm's, whatever unit they are shown in.
TEST_F(SreportTest, ColumnsOfNumbersGrowWithTheSecondsInThem) {
  Add("a", "u", 1234567890);
  EXPECT_THAT(
      Print(Options({"user", "top"})),
      HasSubstr("  Cluster     Login     Proper Name         Account        Used   Energy \n"
                "--------- --------- --------------- --------------- ----------- -------- \n"
                "        c         u                               a  1234567890        0 \n"));
}

TEST_F(SreportTest, FormatNamesColumnsAndWidths) {
  Add("a", "u", 30);
  EXPECT_THAT(
      Print(Options({"cluster", "UserUtilizationByA", "format=acc%-8,LOGIN%6,used%5"})),
      HasSubstr("\nAccount   Login  Used \n-------- ------ ----- \na             u    30 \n"));
  EXPECT_EQ(Rows(Options({"cluster", "UserUtilizationByA", "format=used,cluster"})), "30|c\n");
}

TEST_F(SreportTest, ATreeHasRoomForItsIndents) {
  Add("a", "u", 30);
  // Account is 20 wide and on the left.
  EXPECT_THAT(Print(Options({"cluster", "AccountUtilizationByUser", "Tree"})),
              HasSubstr("\n        c  a" + std::string(51, ' ') + "30        0 \n"));
}

TEST_F(SreportTest, WithTresARowEach) {
  Add("b", "u", 30);
  SreportOptions options = Options({"cluster", "UserUtilizationByAccount"});
  options.tres = {"billing", "CPU"};
  options.time_format.unit = ReportUnit::kHours;
  options.layout = SlurmLayout::kParsable;
  EXPECT_THAT(Print(options), HasSubstr("Usage reported in TRES Hours\n"));
  EXPECT_THAT(Print(options), HasSubstr("Cluster|Login|Proper Name|Account|TRES Name|Used|\n"
                                        "c|u||b|billing|1|\n"
                                        "c|u||b|cpu|0|\n"));
}

TEST_F(SreportTest, AccountsCountWhatIsBelowThem) {
  Add("a1", "u", 1);
  Add("a", "v", 2);
  Add("a", "", 4);
  Add("b", "u", 8);
  EXPECT_EQ(Rows(Options({"cluster", "AccountUtilizationByUser"})),
            "c|root|||15|0\n"
            "c|a|||7|0\n"
            "c|a|v||2|0\n"
            "c|a1|||1|0\n"
            "c|a1|u||1|0\n"
            "c|b|||8|0\n"
            "c|b|u||8|0\n");
  EXPECT_EQ(Rows(Options({"cluster", "AccountUtilizationByUser", "Accounts=a", "Tree"})),
            "c| a|||7|0\nc|  a|v||2|0\n");
}

TEST_F(SreportTest, ByQosAccountsCountWhatIsBelowThemToo) {
  Add("a1", "", 1, "high");
  Add("a", "", 2, "normal");
  EXPECT_EQ(Rows(Options({"cluster", "AccountUtilizationByQOS"})),
            "c|root||3|0\nc|root|high|1|0\nc|root|normal|2|0\n"
            "c|a||3|0\nc|a|high|1|0\nc|a|normal|2|0\n"
            "c|a1||1|0\nc|a1|high|1|0\n");
}

TEST_F(SreportTest, UsageWithoutQosIsNotMistakenForTheTotal) {
  Add("a", "", 1, "high");
  Add("a", "", 2);
  EXPECT_EQ(Rows(Options({"cluster", "AccountUtilizationByQOS", "Accounts=a"})),
            "c|a||3|0\nc|a|(none)|2|0\nc|a|high|1|0\n");
}

TEST_F(SreportTest, TopUsageShowsTheLargestFirst) {
  Add("a", "u", 1);
  Add("b", "u", 5);
  Add("a", "v", 3);
  Add("a", "", 100);
  EXPECT_EQ(Rows(Options({"user", "TopUsage", "TopCount=2"})), "c|u||b|5|0\nc|v||a|3|0\n");
  EXPECT_EQ(Rows(Options({"user", "top", "Group"})), "c|u||a, b|6|0\nc|v||a|3|0\n");
  EXPECT_THAT(Print(Options({"user", "top"})), HasSubstr("\nTop 10 Users 2026-01-05T00:00:00 - "));
}

TEST_F(SreportTest, PercentIsOfTheClustersTresOverThePeriod) {
  Add("b", "u", 150);
  SreportOptions options = Options({"user", "TopUsage"});
  options.time_format.unit = ReportUnit::kPercent;
  EXPECT_EQ(Rows(options), "c|u||b|25.00%|0.00%\n");
  options.time_format = {ReportUnit::kHours, true};
  EXPECT_EQ(Rows(options), "c|u||b|2(25.00%)|0(0.00%)\n");
  options.full_precision = true;
  options.tres = {"cpu"};
  EXPECT_EQ(Rows(options), "c|u||b|cpu|2.5\n");
}

TEST_F(SreportTest, WithBucketsEveryRowBeginsWithItsBucket) {
  Add("b", "u", 1);
  Add("b", "u", 2, "", 5);
  SreportOptions options = Options({"user", "TopUsage"});
  options.buckets = "hour";
  EXPECT_EQ(Rows(options), "2026-01-05T00:00:00|c|u||b|1|0\n2026-01-05T05:00:00|c|u||b|2|0\n");
}

TEST(SreportOptionsTest, WordsMayBeShortAndInAnyCase) {
  SreportOptions options;
  std::string cluster;
  ASSERT_EQ(ParseReportWords({"CLUSTER", "userutilizationbya", "start=1/1", "END=now", "user=a,b",
                              "account=x", "cluster=orc", "tree"},
                             options, cluster),
            absl::OkStatus());
  EXPECT_EQ(options.report, SlurmReport::kUserUtilizationByAccount);
  EXPECT_EQ(options.start, "1/1");
  EXPECT_EQ(options.end, "now");
  EXPECT_THAT(options.users, ElementsAre("a", "b"));
  EXPECT_THAT(options.accounts, ElementsAre("x"));
  EXPECT_EQ(cluster, "orc");
  EXPECT_TRUE(options.tree);
}

TEST(SreportOptionsTest, WrongWordsAreNamed) {
  const auto message = [](const std::vector<std::string>& words) {
    SreportOptions options;
    std::string cluster;
    return std::string(ParseReportWords(words, options, cluster).message());
  };
  EXPECT_THAT(message({}), HasSubstr("want a report"));
  EXPECT_THAT(message({"job", "weights"}), HasSubstr("got \"job weights\", want cluster"));
  EXPECT_THAT(message({"user", "top", "Begin=x"}), HasSubstr("got \"Begin=x\", want Start="));
  EXPECT_THAT(message({"user", "top", "TopCount=0"}), HasSubstr("N at least 1"));
  EXPECT_THAT(message({"user", "top", "format=login,gold"}), HasSubstr("got \"gold\", want Acc"));
  EXPECT_THAT(message({"user", "top", "format=login%x"}), HasSubstr("width \"x\""));
  EXPECT_THAT(message({"user", "top", "format="}), HasSubstr("want one at least"));
  EXPECT_THAT(message({"user", "top", "down"}), HasSubstr("got \"down\""));
}

TEST(SreportOptionsTest, TimeFormatsAreSlurms) {
  ReportTimeFormat format;
  ASSERT_EQ(ParseReportTimeFormat("per", format), absl::OkStatus());
  EXPECT_EQ(format.unit, ReportUnit::kPercent);
  ASSERT_EQ(ParseReportTimeFormat("hourper", format), absl::OkStatus());
  EXPECT_EQ(format.unit, ReportUnit::kHours);
  EXPECT_TRUE(format.with_percent);
  ASSERT_EQ(ParseReportTimeFormat("Hour", format), absl::OkStatus());
  EXPECT_FALSE(format.with_percent);
  EXPECT_FALSE(ParseReportTimeFormat("days", format).ok());
}

TEST(SreportRequestTest, ByDefaultTheReportIsOfYesterday) {
  const auto request =
      ReportRequest(Options({"user", "top"}), kStart + absl::Hours(30), absl::UTCTimeZone());
  EXPECT_EQ(request->start_time().seconds(), absl::ToUnixSeconds(kStart));
  EXPECT_EQ(request->end_time().seconds(), absl::ToUnixSeconds(kStart + absl::Hours(24)));
  EXPECT_THAT(request->tres(), ElementsAre("cpu", "energy"));
}

TEST(SreportRequestTest, FromTodayOnItIsUntilNow) {
  SreportOptions options = Options({"user", "top", "Start=today"});
  options.tres = {"ALL"};
  const auto request = ReportRequest(options, kStart + absl::Hours(30), absl::UTCTimeZone());
  EXPECT_EQ(request->end_time().seconds(), absl::ToUnixSeconds(kStart + absl::Hours(30)));
  EXPECT_THAT(request->tres(), IsEmpty());
}

TEST(SreportRequestTest, WhatMakesNoSenseIsRefused) {
  const auto message = [](SreportOptions options) {
    return std::string(ReportRequest(options, kStart, absl::UTCTimeZone()).status().message());
  };
  EXPECT_THAT(message(Options({"user", "top", "Start=2026-01-02", "End=2026-01-02"})),
              HasSubstr("want an End after the Start"));
  SreportOptions options = Options({"user", "top"});
  options.buckets = "year";
  EXPECT_THAT(message(options), HasSubstr("--buckets: got \"year\""));
  options.buckets = "36h";
  EXPECT_EQ(ReportRequest(options, kStart, absl::UTCTimeZone())->bucket_length().seconds(),
            36 * 3600);
}

}  // namespace
}  // namespace priorityd::prioctl
