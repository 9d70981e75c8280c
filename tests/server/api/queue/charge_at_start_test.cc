// Jobs that fair-share charges from their start on (ChargeAtStart), over gRPC.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/recalculation/recalculation_loop.h"
#include "tests/await.h"
#include "tests/server/service/ended_jobs_site.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

constexpr char kChargedPolicy[] =
    "ChargeAtStart=yes\nTimeZone=UTC\nPriorityDecayHalfLife=0\n"
    "PriorityUsageResetPeriod=NONE\n";
constexpr char kUnchargedPolicy[] =
    "TimeZone=UTC\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n";

v1::Job Limited(v1::Job job, absl::Duration limit) {
  job.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(limit));
  return job;
}

// Of each association, in the order of the tree.
std::vector<std::vector<double>> FiguresOf(const v1::ListSharesResponse& shares) {
  std::vector<std::vector<double>> figures;
  for (const v1::AssociationShare& share : shares.shares()) {
    figures.push_back({share.raw_usage(), share.reserved_usage(), share.norm_usage(),
                       share.effective_usage(), share.level_fs(), share.fair_share()});
  }
  return figures;
}

class ChargeAtStartTest : public UsageSite {
 protected:
  void StartAt0(const std::string& policy) {
    Start(policy);
    RecalculateAt(Hour(0));
  }
  void Report(const v1::Job& job) { UpdateJobs(service_, Upserts({job})); }
  void Collect(const std::string& id, double from, double to) {
    v1::RecordUsageRequest request;
    *request.add_records() = Collected(id, {"7", Hour(from), Hour(to), run_.cpus});
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  }
  v1::AssociationShare Amy() { return ShareOf(ListShares(service_), "a", "amy"); }
  void ExpectAmy(double usage, double reserved) {
    EXPECT_EQ(Amy().raw_usage(), usage);
    EXPECT_EQ(Amy().reserved_usage(), reserved);
  }

  // 2 CPUs for at most 4 hours: 28,800.
  const RunOfJob run_ = {"7", Hour(0), Hour(2), 2};
  const v1::Job running_ = Limited(RunningJob(run_), absl::Hours(4));
};

TEST_F(ChargeAtStartTest, AStartIsChargedAtOnceAndSettledByItsRecords) {
  StartAt0(kChargedPolicy);
  Report(running_);
  ExpectAmy(0, 0);
  RecalculateAt(Hour(0));
  ExpectAmy(28800, 28800);
  RecalculateAt(Hour(1));
  ExpectAmy(28800, 28800);
  Collect("1", 0, 1);
  RecalculateAt(Hour(1.5));
  ExpectAmy(28800, 21600);
  Collect("2", 1, 2);
  Report(Limited(EndedJob(run_), absl::Hours(4)));
  RecalculateAt(Hour(2));
  ExpectAmy(14400, 0);
}

TEST_F(ChargeAtStartTest, ACancelledAndARemovedJobReserveNothing) {
  StartAt0(kChargedPolicy);
  Report(running_);
  RecalculateAt(Hour(0));
  ExpectAmy(28800, 28800);
  Report(Limited(EndedJob(run_, v1::JOB_STATE_CANCELLED), absl::Hours(4)));
  RecalculateAt(Hour(0));
  ExpectAmy(0, 0);
  Report(Limited(RunningJob({"8", Hour(0), Hour(2), 1}), absl::Hours(4)));
  RecalculateAt(Hour(0));
  ExpectAmy(14400, 14400);
  UpdateJobs(service_, Removal("8"));
  RecalculateAt(Hour(0));
  ExpectAmy(0, 0);
}

TEST_F(ChargeAtStartTest, APartOfTheTimeLimitCanBeReserved) {
  StartAt0(absl::StrCat("ChargeAtStart=25%\n", kUnchargedPolicy));
  Report(running_);
  RecalculateAt(Hour(0));
  ExpectAmy(7200, 7200);
  RecalculateAt(Hour(3));
  ExpectAmy(21600, 21600);
}

TEST_F(ChargeAtStartTest, WithoutTheWordRunningJobsChangeNoNumber) {
  StartAt0(kUnchargedPolicy);
  Collect("1", -1, 0);
  RecalculateAt(Hour(1));
  const auto before = FiguresOf(ListShares(service_));
  Report(running_);
  RecalculateAt(Hour(1));
  EXPECT_EQ(FiguresOf(ListShares(service_)), before);
}

TEST_F(ChargeAtStartTest, ThePolicyThatEndsItFreesTheReserves) {
  StartAt0(kChargedPolicy);
  Report(running_);
  RecalculateAt(Hour(0));
  ExpectAmy(28800, 28800);
  Apply(kUnchargedPolicy);
  RecalculateAt(Hour(0));
  ExpectAmy(0, 0);
}

// Of the limit of 600 minutes 120 are used, and the job may use 360 more.
TEST_F(ChargeAtStartTest, ALimitOnUsageCountsNoReserve) {
  v1::ImportRequest site = SmallSite(absl::StrCat("Clock=manual\n", kChargedPolicy));
  std::string* dump = site.mutable_files(2)->mutable_content();
  const std::string amy = "User - 'amy':DefaultAccount='a'";
  dump->insert(dump->find(amy) + amy.size(), ":GrpTRESMins=billing=600");
  Import(service_, site);
  RecalculateAt(Hour(0));
  Report(running_);
  Collect("1", 0, 1);
  RecalculateAt(Hour(1));
  ExpectAmy(28800, 21600);
  v1::ListBudgetsResponse budgets;
  ASSERT_TRUE(CallUnary(service_, v1::ListBudgetsRequest(), &budgets).ok());
  ASSERT_EQ(budgets.budgets_size(), 1);
  EXPECT_EQ(budgets.budgets(0).used_minutes(), 120);
  EXPECT_EQ(budgets.budgets(0).run_minutes(), 360);
}

TEST_F(ChargeAtStartTest, ExplainStatesTheReserve) {
  StartAt0(absl::StrCat(kChargedPolicy, "PriorityWeightFairshare=1000\n"));
  Report(running_);
  Collect("1", 0, 1);
  RecalculateAt(Hour(1));
  Report(JobOf("9"));
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id("9");
  const v1::ExplainPriorityResponse response = ExplainPriority(service_, request);
  EXPECT_NE(response.DebugString().find(
                "running jobs reserve 75.0% of its usage, 21600 of 28800 billing-seconds"),
            std::string::npos)
      << response.DebugString();
  const int last = response.fair_share_path_size() - 1;
  EXPECT_EQ(response.fair_share_path(last).reserved_usage(), 21600);
}

TEST_F(ChargeAtStartTest, ReplicasHaveTheLeadersNumbers) {
  StartAt0("ChargeAtStart=yes\nTimeZone=UTC\n");
  Report(running_);
  Collect("1", 0, 0.3);
  TestService replica({.database_url = service_.database_url(), .limits = {}});
  for (const double hour : {1.1, 1.7, 2.3}) {
    RecalculateAt(Hour(hour));
    const v1::ListSharesResponse leaders = ListShares(service_);
    EXPECT_GT(leaders.shares(0).reserved_usage(), 0);
    EXPECT_TRUE(Await([&] {
      return ListShares(replica).snapshot().generation() == leaders.snapshot().generation();
    }));
    EXPECT_EQ(FiguresOf(ListShares(replica)), FiguresOf(leaders));
  }
  EXPECT_EQ(replica.loop().mismatches() + service_.loop().mismatches(), 0);
}

// amy has used less than cat. Both have four jobs of 36,000; a frontend starts the first of the
// ranking, one a second, long before the next period.
class BurstTest : public ::testing::Test {
 protected:
  // The users whose jobs start, in order.
  std::string Burst(const std::string& policy, bool is_charged) {
    Import(service_, SmallSite(absl::StrCat(policy, "PriorityWeightFairshare=1000\n")));
    Use("amy", "a", 1);
    Use("cat", "b", 2);
    Recalculate(service_);
    for (int i = 1; i <= 4; ++i) {
      UpdateJobs(service_, Upserts({Waiting("amy", i), Waiting("cat", i)}));
    }
    std::string started;
    for (int i = 0; i < 8; ++i) started += StartFirst(is_charged);
    return started;
  }

 private:
  void Use(const std::string& user, const std::string& account, int hours) {
    v1::RecordUsageRequest request;
    v1::UsageRecord& record = *request.add_records();
    record = Usage(user, service_.now() - absl::Hours(hours), absl::Hours(hours), 1);
    record.set_user(user);
    record.set_account(account);
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  }
  static v1::Job Waiting(const std::string& user, int number) {
    v1::Job job = Limited(JobOf(absl::StrCat(user, number), user), absl::Hours(1));
    job.set_cpus(10);
    return job;
  }
  int64_t Generation() { return ListShares(service_).snapshot().generation(); }

  char StartFirst(bool is_charged) {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    const std::string first = RankJobs(service_, request).ranked(0).job_id();
    v1::Job job = Waiting(first.substr(0, 3), first.back() - '0');
    job.set_state(v1::JOB_STATE_RUNNING);
    *job.mutable_start_time() = ToTimestamp(service_.now());
    const int64_t before = Generation();
    UpdateJobs(service_, Upserts({job}));
    service_.SetNow(service_.now() + absl::Seconds(1));
    if (is_charged) {
      EXPECT_TRUE(Await([&] { return Generation() > before; }));
    } else {
      EXPECT_EQ(Generation(), before);
    }
    return first[0];
  }

  TestService service_;
};

TEST_F(BurstTest, GainsAllWhereOnlyRecordsCount) {
  EXPECT_EQ(Burst(kUnchargedPolicy, false), "aaaacccc");
}

TEST_F(BurstTest, GainsNothingWhereStartsCount) {
  EXPECT_EQ(Burst(kChargedPolicy, true), "acacacac");
}

}  // namespace
}  // namespace priorityd::rpc
