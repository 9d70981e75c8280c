// ListShares' TRESRunMins, ListQosUsage, ListBudgets, ListBudgetEvents and EstimateJobCost through
// the whole service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// Account a may use 1000 CPU minutes, amy in it 600 billing minutes, QOS double (UsageFactor 2) 500
// CPU minutes and 10 CPUs at a time.
v1::ImportRequest BudgetSite() {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          "ClusterName=c\nClock=manual\nTimeZone=UTC\nPriorityDecayHalfLife=0\n"
          "PriorityUsageResetPeriod=NONE\nNodeName=n[1-10] CPUs=10\n"
          "PartitionName=main Nodes=ALL Default=YES MaxTime=2-0\n",
          &request);
  AddFile(v1::FILE_KIND_QOS, "qos",
          "Name|Priority|UsageFactor|GrpTRESMins|GrpTRES\nnormal|0|1||\n"
          "double|10|2|cpu=500|cpu=10\n",
          &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1:QOS='normal,double':DefaultQOS='normal'\nParent - 'root'\n"
          "Account - 'a':Fairshare=1:GrpTRESMins=cpu=1000\n"
          "Account - 'b':Fairshare=1\nParent - 'a'\n"
          "User - 'amy':DefaultAccount='a':Fairshare=1:GrpTRESMins=billing=600\n"
          "User - 'ben':DefaultAccount='a':Fairshare=1\nParent - 'b'\n"
          "User - 'cat':DefaultAccount='b':Fairshare=1\n",
          &request);
  return request;
}

v1::Job Runs(const std::string& id, const std::string& user, double cpus, absl::Duration limit,
             const std::string& qos) {
  v1::Job job = JobOf(id, user);
  job.set_state(v1::JOB_STATE_RUNNING);
  *job.mutable_start_time() = ToTimestamp(TestEpoch() - absl::Minutes(30));
  job.set_cpus(cpus);
  job.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(limit));
  job.add_qos(qos);
  return job;
}

class BudgetsTest : public testing::Test {
 protected:
  BudgetsTest() {
    service_.SetNow(TestEpoch());
    Import(service_, BudgetSite());
    RecalculateAt(TestEpoch());
  }

  void RecalculateAt(absl::Time time) {
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(time);
    Recalculate(service_, request);
  }

  // So many CPU minutes in the hour before TestEpoch.
  void Used(const std::string& user, double cpu_minutes, const std::string& qos = "normal",
            const std::string& job = "") {
    v1::RecordUsageRequest request;
    v1::UsageRecord& record = *request.add_records();
    record = Usage(absl::StrCat("r", ++records_), TestEpoch() - absl::Hours(1), absl::Hours(1),
                   cpu_minutes / 60);
    record.set_user(user);
    record.set_account("");
    record.set_qos(qos);
    record.set_job_id(job);
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
    RecalculateAt(TestEpoch());
  }

  v1::ListBudgetsResponse Budgets(const v1::ListBudgetsRequest& request = {},
                                  grpc::Status* status = nullptr) {
    return AnswerTo<v1::ListBudgetsResponse>(service_, request, status);
  }
  // `account/user percent`
  std::vector<std::string> Events(int64_t* after) {
    v1::ListBudgetEventsRequest request;
    request.set_after_event_id(*after);
    const auto answer = AnswerTo<v1::ListBudgetEventsResponse>(service_, request);
    *after = answer.last_event_id();
    std::vector<std::string> events;
    for (const v1::BudgetEvent& event : answer.events()) {
      events.push_back(absl::StrCat(event.account(), "/", event.user(), event.qos(), " ",
                                    event.tres(), " ", event.percent()));
    }
    return events;
  }

  TestService service_;
  int records_ = 0;
};

// 4 CPUs for what is left of 2 hours after the half that is charged: 4 * 90; the other under
// UsageFactor 2, of which nothing is recorded: 2 * 60 * 2.
TEST_F(BudgetsTest, RunningJobsMayStillUseWhatIsNotChargedYet) {
  UpdateJobs(service_, Upserts({Runs("1", "amy", 4, absl::Hours(2), "normal"),
                                Runs("2", "ben", 2, absl::Hours(1), "double"), JobOf("3", "amy")}));
  v1::RecordUsageRequest request;
  *request.add_records() = Usage("1", TestEpoch() - absl::Minutes(30), absl::Minutes(30), 4);
  request.mutable_records(0)->set_job_id("1");
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  RecalculateAt(TestEpoch());
  const v1::ListSharesResponse shares = ListShares(service_);
  EXPECT_THAT(ShareOf(shares, "a", "amy").tres_run_mins(),
              UnorderedElementsAre(Pair("cpu", 360), Pair("billing", 360), Pair("node", 90)));
  EXPECT_EQ(ShareOf(shares, "a", "ben").tres_run_mins().at("cpu"), 240);
  EXPECT_EQ(ShareOf(shares, "root").tres_run_mins().at("cpu"), 600);
  EXPECT_EQ(ShareOf(shares, "root").running_jobs(), 2u);
  EXPECT_THAT(ShareOf(shares, "b").tres_run_mins(), IsEmpty());
  EXPECT_THAT(shares.tres(),
              ElementsAre("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"));
}

TEST_F(BudgetsTest, UsageAndLimitsOfQos) {
  Used("amy", 100, "double");  // Times UsageFactor 2.
  UpdateJobs(service_, Upserts({Runs("2", "ben", 2, absl::Hours(1), "double")}));
  const auto answer = AnswerTo<v1::ListQosUsageResponse>(service_, v1::ListQosUsageRequest());
  ASSERT_EQ(answer.qos_size(), 2);
  const v1::QosUsage& qos = answer.qos(0);
  EXPECT_EQ(qos.name(), "double");
  EXPECT_EQ(qos.usage_factor(), 2);
  EXPECT_NEAR(qos.tres_usage().at("cpu"), 200 * 60, 1e-6);
  EXPECT_NEAR(qos.raw_usage(), 200 * 60, 1e-6);
  EXPECT_EQ(qos.tres_running().at("cpu"), 2);
  EXPECT_EQ(qos.tres_run_mins().at("cpu"), 240);
  EXPECT_EQ(qos.running_jobs(), 1u);
  EXPECT_EQ(qos.submitted_jobs(), 1u);
  EXPECT_EQ(qos.grp_tres_mins().at("cpu"), 500);
  EXPECT_EQ(qos.other_limits().at("GrpTRES=cpu"), 10);
  EXPECT_EQ(answer.qos(1).name(), "normal");
  EXPECT_EQ(answer.qos(1).submitted_jobs(), 0u);
}

// 300 of 1000 CPU minutes were used in the last day: 300 a day, the other 700 last 2 1/3 days.
TEST_F(BudgetsTest, ABudgetRunsOutAtTheRateOfTheLedger) {
  Used("ben", 300);
  v1::ListBudgetsRequest request;
  request.add_accounts("a");
  request.mutable_rate_window()->set_seconds(86400);
  const v1::ListBudgetsResponse answer = Budgets(request);
  ASSERT_EQ(answer.budgets_size(), 2);
  const v1::Budget& budget = answer.budgets(0);
  EXPECT_EQ(budget.account(), "a");
  EXPECT_EQ(budget.tres(), "cpu");
  EXPECT_NEAR(budget.used_minutes(), 300, 1e-9);
  EXPECT_NEAR(budget.left_minutes(), 700, 1e-9);
  EXPECT_NEAR(budget.minutes_per_day(), 300, 1e-9);
  EXPECT_NEAR(static_cast<double>(budget.runs_out_time().seconds()),
              static_cast<double>(absl::ToUnixSeconds(TestEpoch())) + 86400 * 7 / 3.0, 1);
  EXPECT_EQ(answer.budgets(1).user(), "amy");
  EXPECT_EQ(answer.budgets(1).minutes_per_day(), 0);
  EXPECT_FALSE(answer.budgets(1).has_runs_out_time());
}

// 100 of the CPU minutes of a day are of dan's association for partition main, 20 of the other one:
// in a day 100 of the 200, in 11 days 220 of the 240.
TEST_F(BudgetsTest, ThePartitionOfAUserHasARateOfItsOwn) {
  v1::ImportRequest site = BudgetSite();
  site.mutable_files(2)->mutable_content()->append(
      "User - 'dan':DefaultAccount='b':Fairshare=1:GrpTRESMins=cpu=240\n"
      "User - 'dan':DefaultAccount='b':Partition='main':Fairshare=1:GrpTRESMins=cpu=200\n");
  Import(service_, site);
  RecalculateAt(TestEpoch());
  v1::RecordUsageRequest records;
  for (const double cpu_minutes : {100., 20.}) {
    v1::UsageRecord& record = *records.add_records();
    record = Usage(absl::StrCat(cpu_minutes), TestEpoch() - absl::Hours(1), absl::Hours(1),
                   cpu_minutes / 60);
    record.set_user("dan");
    record.set_account("b");
  }
  records.mutable_records(0)->set_partition("main");
  ASSERT_EQ(RecordUsage(service_, records).accepted(), 2);
  RecalculateAt(TestEpoch());
  v1::ListBudgetsRequest request;
  request.add_users("dan");
  request.mutable_rate_window()->set_seconds(86400);
  const v1::ListBudgetsResponse answer = Budgets(request);
  ASSERT_EQ(answer.budgets_size(), 2);
  const auto days = [](const v1::Budget& budget) {
    return (budget.runs_out_time().seconds() - absl::ToUnixSeconds(TestEpoch())) / 86400.;
  };
  EXPECT_EQ(answer.budgets(0).partition(), "");
  EXPECT_NEAR(answer.budgets(0).minutes_per_day(), 20, 1e-9);
  EXPECT_NEAR(days(answer.budgets(0)), 11, 1e-4);
  EXPECT_EQ(answer.budgets(1).partition(), "main");
  EXPECT_NEAR(answer.budgets(1).minutes_per_day(), 100, 1e-9);
  EXPECT_NEAR(days(answer.budgets(1)), 1, 1e-4);
}

TEST_F(BudgetsTest, PagesReportEachBudgetOnceAndFiltersPick) {
  std::vector<std::string> told;
  v1::ListBudgetsRequest request;
  request.set_page_size(1);
  do {
    const v1::ListBudgetsResponse page = Budgets(request);
    for (const v1::Budget& budget : page.budgets()) {
      told.push_back(absl::StrCat(budget.account(), "/", budget.user(), budget.qos()));
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(told, ElementsAre("a/", "a/amy", "/double"));
  request.Clear();
  request.add_qos("double");
  EXPECT_EQ(Budgets(request).budgets_size(), 1);
  request.mutable_rate_window()->set_seconds(1);
  grpc::Status status;
  Budgets(request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "rate_window");
}

TEST_F(BudgetsTest, EachThresholdIsAnEventOnce) {
  int64_t after = 0;
  Used("amy", 480);  // 80 % of amy's, 48 % of the account's.
  EXPECT_THAT(Events(&after), ElementsAre("a/amy billing 50", "a/amy billing 80"));
  RecalculateAt(TestEpoch());
  EXPECT_THAT(Events(&after), IsEmpty());
  Used("ben", 520);
  EXPECT_THAT(Events(&after), ElementsAre("a/ cpu 50", "a/ cpu 80", "a/ cpu 100"));
  Used("cat", 400, "double");
  EXPECT_THAT(Events(&after), ElementsAre("/double cpu 50", "/double cpu 80", "/double cpu 100"));
  int64_t from_the_beginning = 0;
  EXPECT_EQ(Events(&from_the_beginning).size(), 8u);
  EXPECT_EQ(from_the_beginning, after);
}

class OneBudgetTest : public AdministeredSite {
 protected:
  void Limit(const std::string& minutes) {
    Modify(Where({"a"}, {""}), {"GrpTRESMins=billing=" + minutes});
    RecalculateAt(Hour(1));
  }

  std::vector<int> Percents() {
    std::vector<int> percents;
    const auto answer =
        AnswerTo<v1::ListBudgetEventsResponse>(service_, v1::ListBudgetEventsRequest());
    for (const v1::BudgetEvent& event : answer.events()) percents.push_back(event.percent());
    return percents;
  }
};

TEST_F(OneBudgetTest, ALimitThatIsSetAgainReportsItsThresholdsAgain) {
  Record({Hour(0), Hour(1), 3});  // More than 150 minutes, with decay.
  Limit("100");
  EXPECT_THAT(Percents(), ElementsAre(50, 80, 100));
  Limit("-1");
  EXPECT_THAT(Percents(), ElementsAre(50, 80, 100));
  Limit("100");
  EXPECT_THAT(Percents(), ElementsAre(50, 80, 100, 50, 80, 100));
}

// 2 CPUs for 5 hours: 600 billing minutes, all that amy may use, 60 % of the account's, and of it
// 300 are used and 100 may still be: 0 are left.
TEST_F(BudgetsTest, TheCostOfAJobIsReportedBeforeItRuns) {
  Used("ben", 300, "normal", "1");                                 // Charged until TestEpoch.
  v1::Job ben = Runs("1", "ben", 2, absl::Minutes(80), "normal");  // 50 minutes are left.
  UpdateJobs(service_, Upserts({ben}));
  v1::EstimateJobCostRequest request;
  v1::Job& job = *request.mutable_jobs()->add_jobs();
  job = JobOf("7", "amy");
  job.set_cpus(2);
  job.mutable_time_limit()->set_seconds(5 * 3600);
  const auto answer = AnswerTo<v1::EstimateJobCostResponse>(service_, request);
  ASSERT_EQ(answer.costs_size(), 1);
  const v1::JobCost& cost = answer.costs(0);
  EXPECT_EQ(cost.billing().billing(), 2);
  EXPECT_EQ(cost.usage(), 600 * 60);
  EXPECT_EQ(cost.tres_mins().at("cpu"), 600);
  ASSERT_EQ(cost.budgets_size(), 2);
  EXPECT_EQ(cost.budgets(0).budget().user(), "amy");
  EXPECT_DOUBLE_EQ(cost.budgets(0).part(), 1);
  EXPECT_DOUBLE_EQ(cost.budgets(1).part(), 0.6);
  EXPECT_NEAR(cost.budgets(1).budget().run_minutes(), 100, 1e-9);
  EXPECT_NEAR(cost.budgets(1).left_after_minutes(), 0, 1e-9);
  EXPECT_LT(cost.fair_share_after(), cost.fair_share());
}

TEST_F(BudgetsTest, WhatCannotBeEstimatedIsSaid) {
  v1::EstimateJobCostRequest request;
  grpc::Status status;
  AnswerTo<v1::EstimateJobCostResponse>(service_, request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "source");
  request.mutable_tracked();
  request.set_job_id("none");
  AnswerTo<v1::EstimateJobCostResponse>(service_, request, &status);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_JOB");
  request.clear_job_id();
  *request.mutable_jobs()->add_jobs() = JobOf("7", "nobody");
  AnswerTo<v1::EstimateJobCostResponse>(service_, request, &status);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_JOB");
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("job 7: InvalidAccount: "));
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("user nobody has no"));
  request.mutable_jobs()->mutable_jobs(0)->set_user("amy");
  request.mutable_jobs()->mutable_jobs(0)->set_account("nosuch");
  AnswerTo<v1::EstimateJobCostResponse>(service_, request, &status);
  EXPECT_EQ(status.error_message(), "job 7: InvalidAccount: account nosuch does not exist");
}

}  // namespace
}  // namespace priorityd::rpc
