#include "client/slurm/observer.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/slurm/pass_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/slurm/played_slurm.h"
#include "tests/end_to_end/shared_priorityd.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A real priorityd, whose clock is that of the passes, and what a real Slurm printed at each.
class ObserverTest : public ::testing::Test {
 protected:
  ObserverTest() : slurm_("observed.txt.gz"), client_({.address = SharedPriorityd().address()}) {}

  ObserverOptions Options() {
    ObserverOptions options;
    options.mirror.cluster = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    options.mirror.policy_lines = {"FairTreeTies=slurm", "Clock=manual"};
    options.zone = absl::UTCTimeZone();
    return options;
  }

  absl::StatusOr<PassReport> Pass(Observer& observer, int pass) {
    slurm_.Play(pass);
    absl::StatusOr<PassReport> report = observer.Pass();
    EXPECT_TRUE(report.ok()) << pass << ": " << report.status();
    return report;
  }

  int64_t AuditEvents(const std::string& cluster) {
    ::priority::v1::ListAuditEventsRequest request;
    request.set_cluster(cluster);
    const auto events = client_.ListAuditEvents(std::move(request));
    return events.ok() ? events->events_size() : -1;
  }

  PlayedSlurm slurm_;
  const client::PriorityClient client_;
};

// On 200 jobs that are held, released, changed and set by hand meanwhile, on a site that is
// changed three times: the same priorities to the point, the same factors to sprio's seven digits.
TEST_F(ObserverTest, PrioritiesAndFactorsAreThoseOfSprioForTwentyPasses) {
  Observer observer(Options(), &client_, slurm_.Runner());
  ASSERT_EQ(slurm_.passes(), 20);
  std::vector<absl::Time> times;
  for (int pass = 1; pass <= slurm_.passes(); ++pass) {
    const auto report = Pass(observer, pass);
    ASSERT_TRUE(report.ok());
    EXPECT_GE(report->comparison.compared, 198);
    EXPECT_EQ(report->comparison.equal, report->comparison.compared);
    EXPECT_THAT(report->comparison.differences, IsEmpty())
        << pass << " " << PassTable(*report, absl::UTCTimeZone(), 30);
    times.push_back(report->comparison.pass.value_or(absl::InfinitePast()));
  }
  EXPECT_TRUE(std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) ==
              times.end());
}

TEST_F(ObserverTest, AnAgeThatPrioritydKeepsIsReportedAsTheReason) {
  ObserverOptions options = Options();
  options.ages_of_slurm = false;
  Observer observer(options, &client_, slurm_.Runner());
  int64_t differ = 0;
  for (int pass = 1; pass <= 8; ++pass) {
    const auto report = Pass(observer, pass);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->comparison.Unexplained(), 0);
    for (const JobDifference& difference : report->comparison.differences) {
      ASSERT_EQ(difference.factors.size(), 1);
      EXPECT_EQ(difference.factors[0].name, "age");
      EXPECT_THAT(difference.reasons[0], HasSubstr("its age: slurmctld counts from 2026-"));
      ++differ;
    }
  }
  EXPECT_GT(differ, 0);
}

TEST_F(ObserverTest, ASiteThatIsAsItWasIsNotWritten) {
  const ObserverOptions options = Options();
  Observer observer(options, &client_, slurm_.Runner());
  EXPECT_TRUE(Pass(observer, 1)->site_taken);
  const int64_t events = AuditEvents(options.mirror.cluster);
  const auto again = Pass(observer, 1);
  EXPECT_FALSE(again->site_taken);
  EXPECT_FALSE(again->usage_taken);
  EXPECT_EQ(again->queue.changed, 0);
  EXPECT_EQ(AuditEvents(options.mirror.cluster), events);
}

TEST_F(ObserverTest, SlurmIsOnlyRead) {
  Observer observer(Options(), &client_, slurm_.Runner());
  ASSERT_TRUE(Pass(observer, 1).ok());
  for (const std::string& command : slurm_.ran()) {
    const bool reads = absl::StrContains(command, " show ") || absl::StrContains(command, "dump") ||
                       absl::StrContains(command, "squeue") || absl::StartsWith(command, "s");
    EXPECT_TRUE(reads && !absl::StrContains(command, "update")) << command;
  }
}

TEST_F(ObserverTest, ASlurmctldThatIsAwayIsAnErrorAndTheNextPassContinues) {
  bool away = true;
  const RunCommand run = slurm_.Runner();
  Observer observer(Options(), &client_, [&](const Arguments& arguments, const std::string& in) {
    return away ? absl::StatusOr<std::string>(absl::UnavailableError("slurmctld is away"))
                : run(arguments, in);
  });
  EXPECT_EQ(observer.Pass().status().code(), absl::StatusCode::kUnavailable);
  away = false;
  EXPECT_THAT(Pass(observer, 1)->comparison.differences, IsEmpty());
}

TEST_F(ObserverTest, AChangeBySprioThatPrioritydDoesNotKnowHasNoReason) {
  const RunCommand run = slurm_.Runner();
  Observer observer(Options(), &client_, [&](const Arguments& arguments, const std::string& in) {
    absl::StatusOr<std::string> out = run(arguments, in);
    if (arguments[0] != "sprio") return out;
    const size_t second = out->find("\n", out->find("\n") + 1);
    const size_t partition = out->find("|0.1000000|0.", out->find("\n"));
    if (partition < second) out->replace(partition, 10, "|0.9000000");
    return out;
  });
  const auto report = Pass(observer, 1);
  ASSERT_EQ(report->comparison.differences.size(), 1);
  EXPECT_EQ(report->comparison.Unexplained(), 1);
  EXPECT_THAT(PassTable(*report, absl::UTCTimeZone(), 5), HasSubstr("no known reason"));
  EXPECT_THAT(PassJson(*report), HasSubstr("\"unexplained\":1"));
}

// What sacct prints beside the captured passes.
class RecordsTest : public ObserverTest {
 protected:
  RecordsTest() : options_(Options()) { options_.usage = UsageFrom::kSacct; }

  RunCommand Runner() {
    return [this, run = slurm_.Runner()](const Arguments& arguments, const std::string& in) {
      const auto sacct = std::find(arguments.begin(), arguments.end(), "sacct");
      if (sacct == arguments.end()) return run(arguments, in);
      asked_.push_back(*(std::find(sacct, arguments.end(), "-S") + 1));
      const bool has_duplicates = std::find(sacct, arguments.end(), "-D") != arguments.end();
      return absl::StatusOr<std::string>(
          absl::StrCat("JobIDRaw|User|Account|Partition|QOS|Start|End|Suspended|AllocTRES\n",
                       has_duplicates ? rows_ : NewestRows()));
    };
  }

  // The last row of each job, which is all that sacct prints without -D.
  std::string NewestRows() const {
    std::map<absl::string_view, absl::string_view> newest;
    for (const absl::string_view row : absl::StrSplit(rows_, '\n', absl::SkipEmpty())) {
      newest[row.substr(0, row.find('|'))] = row;
    }
    std::string text;
    for (const auto& [job, row] : newest) absl::StrAppend(&text, row, "\n");
    return text;
  }

  // Two hours of `cpus` that ended before the first pass.
  static std::string Row(const std::string& job, const std::string& who, int cpus) {
    return absl::StrCat(job, "|", who, "|main|normal|2026-11-22T18:00:00|2026-11-22T20:00:00|",
                        "00:00:00|billing=", cpus, ",cpu=", cpus, ",mem=100M,node=1\n");
  }

  double CpuSeconds(const std::string& user) {
    ::priority::v1::ReportUsageRequest request;
    request.set_cluster(options_.mirror.cluster);
    request.mutable_start_time()->set_seconds(1'790'000'000);
    request.mutable_end_time()->set_seconds(1'800'000'000);
    request.add_users(user);
    const auto report = client_.ReportAllUsage(std::move(request));
    EXPECT_TRUE(report.ok()) << report.status();
    double sum = 0;
    for (const auto& row : report->rows()) {
      const auto found = row.tres_seconds().find("cpu");
      if (found != row.tres_seconds().end()) sum += found->second;
    }
    return sum;
  }

  ObserverOptions options_;
  std::string rows_;
  std::vector<std::string> asked_;
};

TEST_F(RecordsTest, UsageOfEndedJobsCountsOnceHoweverOftenItIsReported) {
  rows_ = absl::StrCat(Row("1", "ann|astro", 4), Row("2", "ann|astro", 2),
                       "3|ann|astro|main|normal|2026-11-22T18:00:00|Unknown|00:00:00|cpu=9\n",
                       "4|ann|astro|main|normal|Unknown|2026-11-22T18:00:00|00:00:00|\n");
  Observer observer(options_, &client_, Runner());
  const auto first = Pass(observer, 1);
  EXPECT_EQ(first->usage_records, 2);
  EXPECT_TRUE(first->usage_taken);
  EXPECT_THAT(PassTable(*first, absl::UTCTimeZone(), 5), HasSubstr(", 2 records of usage"));
  rows_ += Row("5", "bob|astro", 3);
  EXPECT_EQ(Pass(observer, 2)->usage_records, 1);
  EXPECT_FALSE(Pass(observer, 2)->usage_taken);
  // Another observer, which does not know what the first has sent.
  Observer again(options_, &client_, Runner());
  EXPECT_EQ(Pass(again, 2)->usage_records, 0);
  EXPECT_EQ(CpuSeconds("ann"), 6 * 7200);
  EXPECT_EQ(CpuSeconds("bob"), 3 * 7200);
}

TEST_F(RecordsTest, TheRunOfAJobBeforeItWasRequeuedCounts) {
  rows_ =
      absl::StrCat(Row("7", "ann|astro", 4), "7|ann|astro|main|normal|Unknown|Unknown|00:00:00|\n");
  Observer observer(options_, &client_, Runner());
  EXPECT_EQ(Pass(observer, 1)->usage_records, 1);
  EXPECT_EQ(CpuSeconds("ann"), 4 * 7200);
}

TEST_F(RecordsTest, TheFirstPassLooksBackAsFarAsIsSaidAndTheNextTwoHours) {
  options_.sacct_since = absl::Hours(24 * 30);
  Observer observer(options_, &client_, Runner());
  ASSERT_TRUE(Pass(observer, 1).ok());
  ASSERT_TRUE(Pass(observer, 1).ok());
  ASSERT_EQ(asked_.size(), 2);
  const auto ago = [&](size_t n) {
    absl::Time time;
    std::string error;
    EXPECT_TRUE(absl::ParseTime("%Y-%m-%dT%H:%M:%S", asked_[n], &time, &error)) << error;
    return absl::Now() - time;
  };
  EXPECT_NEAR(absl::ToDoubleHours(ago(0)), 24 * 30, 0.5);
  EXPECT_NEAR(absl::ToDoubleHours(ago(1)), 2, 0.5);
}

TEST_F(RecordsTest, FairShareThatDiffersIsExplainedByWhatIsCounted) {
  rows_ = Row("1", "fay|botany", 500);
  Observer observer(options_, &client_, Runner());
  const auto report = Pass(observer, 1);
  EXPECT_FALSE(report->comparison.differences.empty());
  EXPECT_EQ(report->comparison.Unexplained(), 0);
  EXPECT_THAT(PassTable(*report, absl::UTCTimeZone(), 5), HasSubstr("counts the records of sacct"));
}

TEST_F(RecordsTest, ARowThatCannotBeReadStopsNothing) {
  rows_ = absl::StrCat(
      "1|ann|astro|main|normal|2026-11-22T18:00:00|2026-11-22T17:00:00|00:00:00|cpu=4\n",
      Row("2", "ann|astro", 2));
  Observer observer(options_, &client_, Runner());
  const auto report = Pass(observer, 1);
  EXPECT_EQ(report->usage_records, 1);
  EXPECT_EQ(report->usage_rejected, 1);
  EXPECT_THAT(report->first_rejection, HasSubstr("sacct line 2: End: got \"2026-11-22T17:00:00\""));
  EXPECT_EQ(CpuSeconds("ann"), 2 * 7200);
}

TEST_F(RecordsTest, ARejectedRecordIsReportedAndStopsNothing) {
  rows_ = absl::StrCat(Row("1", "nobody|astro", 4), Row("2", "ann|astro", 2));
  Observer observer(options_, &client_, Runner());
  const auto report = Pass(observer, 1);
  EXPECT_EQ(report->usage_records, 1);
  EXPECT_EQ(report->usage_rejected, 1);
  EXPECT_THAT(report->first_rejection, HasSubstr("nobody"));
  EXPECT_THAT(PassTable(*report, absl::UTCTimeZone(), 5), HasSubstr("1 records of usage rejected"));
  EXPECT_THAT(PassJson(*report), HasSubstr("\"usageRejected\":1"));
}

}  // namespace
}  // namespace priorityd::slurm_frontend
