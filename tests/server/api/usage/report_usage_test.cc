// ReportUsage over gRPC on a real PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "server/messages/convert_time.h"
#include "tests/server/service/test_service.h"
#include "tests/times.h"

namespace priorityd::rpc {
namespace {

using google::protobuf::util::MessageDifferencer;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr char kBerlin[] =
    "PriorityDecayHalfLife=1\nTimeZone=Europe/Berlin\n"
    "PartitionName=gpu Nodes=ALL TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2.0\n"
    "PartitionName=mb Nodes=ALL TRESBillingWeights=CPU=1.0,Mem=0.25,GRES/gpu=2.0\n";

class ReportUsageTest : public testing::Test {
 protected:
  ReportUsageTest() {
    Import(service_, SmallSite(kBerlin));
    service_.SetNow(ParsedTime("2026-11-01T00:00:00Z"));
    Recalculate(service_);
  }

  void Record(const std::vector<v1::UsageRecord>& records) {
    v1::RecordUsageRequest request;
    for (const v1::UsageRecord& record : records) *request.add_records() = record;
    EXPECT_EQ(RecordUsage(service_, request).accepted(), records.size());
  }

  v1::ReportUsageRequest Request(absl::Time start, absl::Time end) {
    v1::ReportUsageRequest request;
    *request.mutable_start_time() = ToTimestamp(start);
    *request.mutable_end_time() = ToTimestamp(end);
    return request;
  }

  v1::ReportUsageResponse Report(const v1::ReportUsageRequest& request,
                                 grpc::Status* status = nullptr) {
    return ReportOf(service_, request, status);
  }
  static v1::ReportUsageResponse ReportOf(TestService& service,
                                          const v1::ReportUsageRequest& request,
                                          grpc::Status* status = nullptr) {
    return AnswerTo<v1::ReportUsageResponse>(service, request, status);
  }

  TestService service_;
};

// UMich's guide: 10 minutes of 1 CPU, 8 GB and 1 GPU at CPU=1.0,Mem=0.25G,GRES/gpu=2.0.
TEST_F(ReportUsageTest, UmichsJobOfTenMinutes) {
  v1::UsageRecord job = Usage("job", TestEpoch(), absl::Minutes(10), 1);
  (*job.mutable_tres())["mem"] = 8192;
  (*job.mutable_tres())["gres/gpu"] = 1;
  job.set_partition("gpu");
  Record({job});
  const auto report = Report(Request(TestEpoch(), TestEpoch() + absl::Hours(1)));
  ASSERT_EQ(report.rows_size(), 1);
  EXPECT_THAT(report.rows(0).tres_seconds(),
              UnorderedElementsAre(Pair("cpu", 10 * 60), Pair("mem", 81920 * 60),
                                   Pair("gres/gpu", 10 * 60), Pair("billing", 50 * 60)));
  EXPECT_EQ(report.rows(0).wall_seconds(), 600);
  EXPECT_EQ(report.time_zone(), "Europe/Berlin");
  EXPECT_EQ(report.cluster(), "c");
  EXPECT_EQ(report.cluster_tres().at("cpu"), 100);
}

// The guide's other example: without the suffix each MB is billed.
TEST_F(ReportUsageTest, UmichsJobOfTenMinutesBilledByTheMegabyte) {
  v1::UsageRecord job = Usage("job", TestEpoch(), absl::Minutes(10), 1);
  (*job.mutable_tres())["mem"] = 8192;
  (*job.mutable_tres())["gres/gpu"] = 1;
  job.set_partition("mb");
  Record({job});
  const auto report = Report(Request(TestEpoch(), TestEpoch() + absl::Hours(1)));
  ASSERT_EQ(report.rows_size(), 1);
  EXPECT_EQ(report.rows(0).tres_seconds().at("billing"), 20510 * 60);
}

TEST_F(ReportUsageTest, ARecordThatCrossesAnEdgeIsSplit) {
  // From 23:30 to 02:15 of the next day in Berlin.
  const absl::Time start = ParsedTime("2026-05-01T21:30:00Z");
  Record({Usage("r", start, absl::Minutes(165), 2)});
  v1::ReportUsageRequest request = Request(start - absl::Hours(5), start + absl::Hours(50));
  request.set_bucket(v1::REPORT_BUCKET_DAY);
  const auto report = Report(request);
  ASSERT_EQ(report.rows_size(), 2);
  EXPECT_EQ(report.rows(0).tres_seconds().at("cpu"), 30 * 60 * 2);
  EXPECT_EQ(report.rows(1).tres_seconds().at("cpu"), 135 * 60 * 2);
  EXPECT_EQ(ToTime(report.rows(0).end_time()), ParsedTime("2026-05-01T22:00:00Z"));
  EXPECT_EQ(ToTime(report.rows(1).start_time()), ParsedTime("2026-05-01T22:00:00Z"));
}

TEST_F(ReportUsageTest, TheEdgesThemselvesAreExactToTheMicrosecond) {
  Record({Usage("r", TestEpoch(), absl::Seconds(10), 1)});
  const absl::Duration micro = absl::Microseconds(1);
  const auto report = Report(Request(TestEpoch() + micro, TestEpoch() + absl::Seconds(5)));
  ASSERT_EQ(report.rows_size(), 1);
  EXPECT_EQ(report.rows(0).wall_seconds(), 4.999999);
  EXPECT_EQ(Report(Request(TestEpoch() - micro, TestEpoch())).rows_size(), 0);
  EXPECT_EQ(
      Report(Request(TestEpoch() + absl::Seconds(10), TestEpoch() + absl::Hours(1))).rows_size(),
      0);
}

TEST_F(ReportUsageTest, UsageDoesNotDecayAndOpeningUsageIsNoUsage) {
  // The half-life is a minute.
  v1::ImportRequest opening;
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||123456\n", &opening);
  Import(service_, opening);
  Record({Usage("r", TestEpoch(), absl::Hours(1), 1)});
  const auto report =
      Report(Request(TestEpoch() - absl::Hours(9999), ParsedTime("2027-01-01T00:00:00Z")));
  ASSERT_EQ(report.rows_size(), 1);
  EXPECT_EQ(report.rows(0).tres_seconds().at("billing"), 3600);
}

TEST_F(ReportUsageTest, AResetChangesNoReport) {
  Record({Usage("r", TestEpoch(), absl::Hours(1), 1)});
  const v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch() + absl::Hours(2));
  const v1::ReportUsageResponse before = Report(request);
  v1::ResetUsageRequest reset;
  reset.set_account("root");
  v1::ResetUsageResponse response;
  EXPECT_TRUE(CallUnary(service_, reset, &response).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(Report(request), before));
}

TEST_F(ReportUsageTest, ACorrectionReplacesWhatItCorrects) {
  Record({Usage("wrong", TestEpoch(), absl::Hours(5), 64)});
  v1::UsageRecord right = Usage("right", TestEpoch(), absl::Hours(1), 2);
  right.set_replaces_record_id("wrong");
  Record({right});
  const auto report = Report(Request(TestEpoch(), TestEpoch() + absl::Hours(9)));
  ASSERT_EQ(report.rows_size(), 1);
  EXPECT_EQ(report.rows(0).tres_seconds().at("cpu"), 2 * 3600);
  EXPECT_EQ(report.rows(0).wall_seconds(), 3600);
}

TEST_F(ReportUsageTest, UsageFactorCountsWhenAskedFor) {
  v1::UsageRecord record = Usage("r", TestEpoch(), absl::Seconds(100), 3);
  record.set_qos("double");
  Record({record});
  v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch() + absl::Hours(1));
  EXPECT_EQ(Report(request).rows(0).tres_seconds().at("billing"), 300);
  request.set_apply_usage_factor(true);
  EXPECT_EQ(Report(request).rows(0).tres_seconds().at("billing"), 600);
  EXPECT_EQ(Report(request).rows(0).wall_seconds(), 200);
}

TEST_F(ReportUsageTest, FiltersAndTres) {
  v1::UsageRecord cat = Usage("1", TestEpoch(), absl::Seconds(1), 1);
  cat.set_user("cat");
  cat.set_account("b");
  v1::UsageRecord account = Usage("2", TestEpoch(), absl::Seconds(1), 10);
  account.clear_user();
  v1::UsageRecord fast = Usage("3", TestEpoch(), absl::Seconds(1), 100);
  fast.set_qos("double");
  Record({cat, account, fast});
  v1::ReportUsageRequest all = Request(TestEpoch(), TestEpoch() + absl::Hours(1));
  all.add_tres("CPU");
  const auto cpus = [&](const v1::ReportUsageRequest& request) {
    std::vector<double> cpus;
    const v1::ReportUsageResponse report = Report(request);
    for (const auto& row : report.rows()) cpus.push_back(row.tres_seconds().at("cpu"));
    return cpus;
  };
  EXPECT_THAT(cpus(all), ElementsAre(111));
  EXPECT_EQ(Report(all).rows(0).tres_seconds().size(), 1u);
  v1::ReportUsageRequest request = all;
  request.add_accounts("a");
  EXPECT_THAT(cpus(request), ElementsAre(110));
  request = all;
  request.add_users("amy");
  EXPECT_THAT(cpus(request), ElementsAre(100));
  request = all;
  request.add_qos("double");
  EXPECT_THAT(cpus(request), ElementsAre(100));
  request = all;
  request.add_group_by(v1::REPORT_GROUPING_QOS);
  EXPECT_THAT(cpus(request), ElementsAre(100, 11));  // double, normal
  request = all;
  request.add_group_by(v1::REPORT_GROUPING_ACCOUNT);
  EXPECT_THAT(cpus(request), ElementsAre(110, 1));
}

TEST_F(ReportUsageTest, AReportByAccountHasTheParentOfEachAccount) {
  v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch() + absl::Hours(1));
  request.add_group_by(v1::REPORT_GROUPING_ACCOUNT);
  std::vector<std::string> accounts;
  const v1::ReportUsageResponse report = Report(request);
  for (const v1::ReportAccount& account : report.accounts()) {
    accounts.push_back(absl::StrCat(account.account(), "<", account.parent_account()));
  }
  EXPECT_THAT(accounts, ElementsAre("a<root", "b<root", "root<"));
}

TEST_F(ReportUsageTest, PagesPutTogetherAreTheWholeOfTheFirstMoment) {
  std::vector<v1::UsageRecord> records;
  for (int i = 0; i < 25; ++i) {
    records.push_back(Usage(absl::StrCat(i), TestEpoch() + absl::Hours(i), absl::Minutes(90), 1));
  }
  Record(records);
  v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch() + absl::Hours(48));
  request.set_bucket(v1::REPORT_BUCKET_HOUR);
  const v1::ReportUsageResponse whole = Report(request);
  EXPECT_EQ(whole.rows_size(), 26);
  request.set_page_size(7);
  v1::ReportUsageResponse pages;
  do {
    const v1::ReportUsageResponse page = Report(request);
    EXPECT_LE(page.rows_size(), 7);
    pages.MergeFrom(page);
    request.set_page_token(page.next_page_token());
    // Accepted between two pages: not in this report any more.
    Record({Usage(absl::StrCat("late", pages.rows_size()), TestEpoch(), absl::Hours(40), 1)});
  } while (!request.page_token().empty());
  ASSERT_EQ(pages.rows_size(), 26);
  for (int i = 0; i < 26; ++i) {
    EXPECT_TRUE(MessageDifferencer::Equals(pages.rows(i), whole.rows(i))) << i;
  }
}

TEST_F(ReportUsageTest, ReplicasTakeTurnsWithThePagesWhileRecordsCome) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  std::vector<v1::UsageRecord> records;
  for (int i = 0; i < 12; ++i) {
    for (const char* user : {"amy", "ben"}) {
      records.push_back(
          Usage(absl::StrCat(user, i), TestEpoch() + absl::Hours(i), absl::Hours(1), 1));
      records.back().set_user(user);
    }
  }
  Record(records);
  v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch() + absl::Hours(48));
  request.set_bucket(v1::REPORT_BUCKET_HOUR);
  request.add_group_by(v1::REPORT_GROUPING_USER);
  const v1::ReportUsageResponse whole = Report(request);
  ASSERT_EQ(whole.rows_size(), 24);
  request.set_page_size(5);
  v1::ReportUsageResponse pages;
  for (int page = 0; page == 0 || !request.page_token().empty(); ++page) {
    const v1::ReportUsageResponse answer = ReportOf(page % 2 == 0 ? service_ : other, request);
    pages.MergeFrom(answer);
    request.set_page_token(answer.next_page_token());
    v1::UsageRecord late =
        Usage(absl::StrCat("late", page), TestEpoch() + absl::Hours(page), absl::Hours(30), 1);
    late.clear_user();
    Record({late});
  }
  ASSERT_EQ(pages.rows_size(), 24);
  for (int i = 0; i < 24; ++i) {
    EXPECT_TRUE(MessageDifferencer::Equals(pages.rows(i), whole.rows(i))) << i;
  }
}

TEST_F(ReportUsageTest, FaultsOfARequestAreNamed) {
  grpc::Status status;
  Report({}, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "start_time,end_time");
  v1::ReportUsageRequest request = Request(TestEpoch(), TestEpoch());
  request.add_tres("gold");
  request.add_group_by(v1::REPORT_GROUPING_UNSPECIFIED);
  request.set_bucket(static_cast<v1::ReportBucket>(77));
  request.set_page_size(-1);
  Report(request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "end_time,bucket,group_by[0],tres[0],page_size");
  request = Request(TestEpoch(), TestEpoch() + absl::Hours(24 * 365));
  request.mutable_bucket_length()->set_seconds(1);
  Report(request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "bucket");
  request.set_bucket(v1::REPORT_BUCKET_DAY);
  Report(request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "bucket_length");
  request = Request(TestEpoch(), TestEpoch() + absl::Hours(1));
  request.set_page_token("x");
  Report(request, &status);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_PAGE_TOKEN");
}

// --- A second implementation: minute by minute, by what a wall clock shows -------------

// The local name of the bucket that a moment lies in.
std::string BucketName(v1::ReportBucket bucket, absl::Time time) {
  const absl::TimeZone berlin = NamedZone("Europe/Berlin");
  switch (bucket) {
    case v1::REPORT_BUCKET_HOUR:
      return absl::FormatTime("%Y-%m-%d %H%z", time, berlin);
    case v1::REPORT_BUCKET_DAY:
      return absl::FormatTime("%Y-%m-%d", time, berlin);
    case v1::REPORT_BUCKET_WEEK: {
      const absl::CivilDay day = absl::ToCivilDay(time, berlin);
      const int since_sunday = (static_cast<int>(absl::GetWeekday(day)) + 1) % 7;
      return absl::FormatCivilTime(day - since_sunday);
    }
    case v1::REPORT_BUCKET_MONTH:
      return absl::FormatTime("%Y-%m", time, berlin);
    default:
      return "";
  }
}

using Key = std::tuple<std::string, std::string, std::string, std::string>;

TEST_F(ReportUsageTest, RandomRecordsAddUpMinuteByMinute) {
  std::mt19937_64 random(42);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  // Around both clock changes of 2026 and the end of a month.
  const absl::Time windows[] = {ParsedTime("2026-03-28T12:00:00Z"),
                                ParsedTime("2026-10-24T12:00:00Z"),
                                ParsedTime("2026-05-31T00:00:00Z")};
  std::vector<v1::UsageRecord> records;
  for (int i = 0; i < 120; ++i) {
    v1::UsageRecord record = Usage(absl::StrCat(i), windows[below(3)] + absl::Minutes(below(2000)),
                                   absl::Minutes(below(1500)), 1 + below(5));
    if (below(3) == 0) record.set_user("ben");
    if (below(4) == 0) record.clear_user();
    if (below(3) == 0) {
      record.set_user("cat");
      record.set_account("b");
    }
    if (below(3) == 0) record.set_qos(below(2) == 0 ? "double" : "normal");
    if (below(4) == 0) (*record.mutable_tres())["mem"] = 0.25 * below(100);
    records.push_back(record);
  }
  Record(records);
  for (int bucket = 0; bucket <= 4; ++bucket) {
    const auto unit = static_cast<v1::ReportBucket>(bucket);
    const absl::Time start = windows[0] + absl::Minutes(below(900));
    const absl::Time end = windows[1] + absl::Minutes(600 + below(900));
    std::map<Key, double> cpu, mem, wall;
    for (const v1::UsageRecord& record : records) {
      for (absl::Time t = ToTime(record.start_time()); t < ToTime(record.end_time());
           t += absl::Minutes(1)) {
        if (t < start || t >= end) continue;
        // Who names none has `normal`.
        const Key key(BucketName(unit, t), record.account(), record.user(),
                      record.qos().empty() ? "normal" : record.qos());
        cpu[key] += 60 * record.tres().at("cpu");
        wall[key] += 60;
        if (record.tres().count("mem")) mem[key] += 60 * record.tres().at("mem");
      }
    }
    v1::ReportUsageRequest request = Request(start, end);
    request.set_bucket(unit);
    request.add_group_by(v1::REPORT_GROUPING_QOS);
    request.add_group_by(v1::REPORT_GROUPING_USER);
    request.add_group_by(v1::REPORT_GROUPING_ACCOUNT);
    const v1::ReportUsageResponse report = Report(request);
    EXPECT_EQ(report.rows_size(), wall.size()) << bucket;
    for (const v1::UsageReportRow& row : report.rows()) {
      const Key key(BucketName(unit, ToTime(row.start_time())), row.account(), row.user(),
                    row.qos());
      EXPECT_EQ(row.wall_seconds(), wall[key]);
      EXPECT_EQ(row.tres_seconds().at("cpu"), cpu[key]);
      const auto found = row.tres_seconds().find("mem");
      EXPECT_DOUBLE_EQ(found == row.tres_seconds().end() ? 0 : found->second, mem[key]);
    }
  }
}

}  // namespace
}  // namespace priorityd::rpc
