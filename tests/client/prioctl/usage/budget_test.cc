// prioctl budget, budget events, qos-usage, cost and sacct.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BudgetCommandsTest : public PrioctlTest {
 protected:
  // A cluster of one account and one user.
  void AnswerShares() {
    fake_.list_shares.Answer([](const auto&, v1::ListSharesResponse* response) {
      response->add_shares()->set_account("hpcstaff");
      v1::AssociationShare* ann = response->add_shares();
      ann->set_account("hpcstaff");
      ann->set_user("ann");
      return grpc::Status::OK;
    });
  }
};

TEST_F(BudgetCommandsTest, BudgetPrintsTheRestAndItsEnd) {
  fake_.list_budgets.Answer([](const auto&, v1::ListBudgetsResponse* response) {
    v1::Budget* budget = response->add_budgets();
    budget->set_account("hpcstaff");
    budget->set_tres("billing");
    budget->set_limit_minutes(100);
    budget->set_used_minutes(80);
    budget->set_run_minutes(5);
    budget->set_left_minutes(20);
    budget->set_minutes_per_day(10);
    budget->mutable_runs_out_time()->set_seconds(1767610800);
    budget = response->add_budgets();
    budget->set_qos("high");
    budget->set_limit_minutes(60);
    budget->set_used_minutes(61);
    return grpc::Status::OK;
  });
  AnswerShares();
  EXPECT_THAT(
      Output({"budget", "-A", "hpcstaff", "--subtree", "--days", "30"}),
      AllOf(ContainsRegex("hpcstaff +GrpTRESMins=billing +100 +80 +80.0% +5 +20 +10 +2026-01-05"),
            ContainsRegex("high +GrpWall +60 +61 +101.7% +0 +0 +0 +used up")));
  const v1::ListBudgetsRequest asked = fake_.list_budgets.requests().back();
  EXPECT_THAT(asked.accounts(), ElementsAre("hpcstaff"));
  EXPECT_TRUE(asked.subtree());
  EXPECT_EQ(asked.rate_window().seconds(), 30 * 86400);
}

TEST_F(BudgetCommandsTest, NamesWithoutAnAssociationAreRefused) {
  AnswerShares();
  fake_.list_budgets.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Output({"budget", "-A", "hpcstaff", "-u", "ann"}), HasSubstr("no limits"));
  EXPECT_THAT(Failure(1, {"budget", "-A", "hpcstaff,hpcstuff"}),
              HasSubstr("--accounts: got \"hpcstuff\", want an account of the cluster"));
  EXPECT_THAT(Failure(1, {"budget", "-u", "hpcstaff"}),
              HasSubstr("--users: got \"hpcstaff\", want a user of the cluster"));
}

TEST_F(BudgetCommandsTest, AmountsHaveEveryDigitOfTheirMinutes) {
  fake_.list_budgets.Answer([](const auto&, v1::ListBudgetsResponse* response) {
    v1::Budget* budget = response->add_budgets();
    budget->set_qos("high");
    budget->set_tres("cpu");
    budget->set_limit_minutes(123456789);
    budget->set_used_minutes(3290723.1924);
    budget->set_left_minutes(120166065.8076);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"budget"}), ContainsRegex(" 123456789 +3290723 +2.7% +0 +120166066 "));
}

TEST_F(BudgetCommandsTest, EventsAreListedAfterTheLastListedOne) {
  fake_.list_budget_events.Answer([](const auto&, v1::ListBudgetEventsResponse* response) {
    v1::BudgetEvent* event = response->add_events();
    event->set_event_id(12);
    event->set_account("hpcstaff");
    event->set_tres("billing");
    event->set_percent(80);
    event->set_limit_minutes(100);
    event->set_used_minutes(81);
    event->mutable_reached_time()->set_seconds(1767610800);
    v1::BudgetEvent* money = response->add_events();
    *money = *event;
    money->set_grant("paid");
    money->set_tres("price/eur");
    money->set_currency("EUR");
    response->set_last_event_id(12);
    return grpc::Status::OK;
  });
  EXPECT_THAT(
      Output({"budget", "events", "--after", "7"}),
      AllOf(ContainsRegex("12 +2026-01-05.* +hpcstaff .*GrpTRESMins=billing +80% "
                          "+100 +81"),
            ContainsRegex("grant paid +80% +1.67 EUR +1.35 EUR"), HasSubstr("--after 12 ")));
  EXPECT_EQ(fake_.list_budget_events.requests().back().after_event_id(), 7);
}

TEST_F(BudgetCommandsTest, QosUsageStandsBesideTheLimits) {
  fake_.list_qos_usage.Answer([](const auto&, v1::ListQosUsageResponse* response) {
    response->add_tres("cpu");
    v1::QosUsage* qos = response->add_qos();
    qos->set_name("high");
    (*qos->mutable_tres_usage())["cpu"] = 6000;
    (*qos->mutable_tres_run_mins())["cpu"] = 30;
    (*qos->mutable_tres_running())["cpu"] = 4;
    (*qos->mutable_grp_tres_mins())["cpu"] = 500;
    (*qos->mutable_other_limits())["GrpTRES=cpu"] = 8;
    (*qos->mutable_other_limits())["GrpJobs"] = 3;
    qos->set_running_jobs(2);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"qos-usage", "high"}), AllOf(ContainsRegex("high +cpu +100 +500 +30 +4 +8"),
                                                   ContainsRegex("high +jobs +2 +3")));
  EXPECT_THAT(fake_.list_qos_usage.requests().back().qos(), ElementsAre("high"));
}

TEST_F(BudgetCommandsTest, CostShowsTheArithmeticAndTheSentences) {
  fake_.estimate_job_cost.Answer([](const auto&, v1::EstimateJobCostResponse* response) {
    v1::JobCost* cost = response->add_costs();
    cost->set_job_id("7");
    cost->set_user("dan");
    cost->set_account("hpcstaff");
    v1::BillingTerm* term = cost->mutable_billing()->add_terms();
    term->set_tres("mem");
    term->set_count(8192);
    term->set_weight(0.25);
    term->set_value(2048);
    term->set_counted(true);
    (*cost->mutable_tres_mins())["billing"] = 50;
    cost->add_sentences("It costs at most 0.833333 billing-hours.");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"cost", "7"}),
              AllOf(HasSubstr("Job 7 of dan in account hpcstaff"),
                    ContainsRegex("mem +8192 +0.25 +2048 +yes"),
                    ContainsRegex("billing +50 +0.833333"), HasSubstr("It costs at most")));
  EXPECT_TRUE(fake_.estimate_job_cost.requests().back().has_tracked());
}

// 50 billing-minutes at UsageFactor 2, so 30 CPU-minutes count twice, and 2 * 30 + 20 * 5 of the
// sum are 320.
TEST_F(BudgetCommandsTest, CostHasWhatIsLeftOfGrantsOfTheAccountAndOfTheUser) {
  fake_.estimate_job_cost.Answer([](const auto&, v1::EstimateJobCostResponse* response) {
    for (int i = 0; i < 2; ++i) {
      v1::JobCost* cost = response->add_costs();
      cost->set_user("dan");
      cost->set_account("hpcstaff");
      (*cost->mutable_tres_mins())["billing"] = 50;
      (*cost->mutable_tres_mins())["cpu"] = 30;
      (*cost->mutable_tres_mins())["gres/gpu"] = 5;
      cost->set_usage(100 * 60);
      v1::JobPrice* price = cost->add_prices();
      price->set_tres("price/eur");
      price->set_currency("EUR");
      price->set_tres_seconds("4500");
    }
    return grpc::Status::OK;
  });
  fake_.list_grants.Answer(
      [](const v1::ListGrantsRequest& request, v1::ListGrantsResponse* answer) {
        EXPECT_EQ(request.accounts(0), "hpcstaff");
        const auto add = [&](const char* name, const char* tres, const char* user) {
          v1::Grant& grant = *answer->add_grants();
          grant.set_name(name);
          (*grant.mutable_attributes())["Accounts"] = "hpcstaff";
          (*grant.mutable_attributes())["TRES"] = tres;
          if (user[0] != 0) (*grant.mutable_attributes())["User"] = user;
          grant.set_state(v1::GRANT_STATE_ACTIVE);
          grant.mutable_balance()->set_left_minutes(1000);
        };
        add("all", "billing", "");
        add("dans", "cpu", "dan");
        add("evas", "cpu", "eva");
        add("ended", "cpu", "");
        add("sum", "cpu=2,gres/gpu=20", "");
        add("paid", "price/eur", "");
        answer->mutable_grants(5)->set_currency("EUR");
        answer->mutable_grants(3)->set_state(v1::GRANT_STATE_ENDED);
        return grpc::Status::OK;
      });
  EXPECT_THAT(
      Output({"cost", "7"}),
      AllOf(ContainsRegex("all +billing +100 +1000 +900"),
            ContainsRegex("dans +cpu +60 +1000 +940"), Not(HasSubstr("evas")),
            Not(HasSubstr("ended")), ContainsRegex("sum +cpu=2,gres/gpu=20 +320 +1000 +680"),
            ContainsRegex("paid +price/eur +1.25 EUR +16.67 EUR +15.42 EUR")));
  EXPECT_EQ(fake_.list_grants.requests().size(), 1u) << "one account is asked for once";
}

// 50 billing-minutes at UsageFactor 2; a billing-minute is worth 3 in the domain and a CPU-minute
// 0.5: (50 * 3 + 30 * 0.5) * 2 are 330. Other TRES count once.
TEST_F(BudgetCommandsTest, CostHasWhatIsLeftOfGrantsOfTheUsageDomain) {
  fake_.estimate_job_cost.Answer([](const auto&, v1::EstimateJobCostResponse* response) {
    v1::JobCost* cost = response->add_costs();
    cost->set_user("dan");
    cost->set_account("hpcstaff");
    cost->mutable_billing()->set_usage_factor(2);
    (*cost->mutable_tres_mins())["billing"] = 50;
    (*cost->mutable_tres_mins())["cpu"] = 30;
    cost->set_usage(100 * 60);
    return grpc::Status::OK;
  });
  bool has_prices = true;
  fake_.list_grants.Answer(
      [&](const v1::ListGrantsRequest& request, v1::ListGrantsResponse* answer) {
        EXPECT_EQ(request.accounts(0), "hpcstaff");
        if (request.cluster() != "site") {
          answer->set_domain("site");
          if (has_prices) {
            (*answer->mutable_domain_prices())["billing"] = 3;
            (*answer->mutable_domain_prices())["cpu"] = 0.5;
          }
          return grpc::Status::OK;
        }
        for (const char* tres : {"billing", "cpu"}) {
          v1::Grant& grant = *answer->add_grants();
          grant.set_name(absl::StrCat("of-", tres));
          (*grant.mutable_attributes())["Accounts"] = "hpcstaff";
          (*grant.mutable_attributes())["TRES"] = tres;
          grant.set_state(v1::GRANT_STATE_ACTIVE);
          grant.mutable_balance()->set_left_minutes(1000);
        }
        return grpc::Status::OK;
      });
  EXPECT_THAT(Output({"cost", "7"}),
              AllOf(ContainsRegex("of-billing of domain site +billing +330 +1000 +670"),
                    ContainsRegex("of-cpu of domain site +cpu +30 +1000 +970")));
  has_prices = false;
  EXPECT_THAT(Run({"cost", "7"}).out,
              ContainsRegex("of-billing of domain site +billing +100 +1000 +900"));
}

TEST_F(BudgetCommandsTest, CostFailsIfTheClusterIsGoneAndContinuesIfItsDomainIs) {
  fake_.estimate_job_cost.Answer([](const auto&, v1::EstimateJobCostResponse* response) {
    response->add_costs()->set_account("hpcstaff");
    return grpc::Status::OK;
  });
  ExpectOnlyTheClusterIsNeeded({"cost", "7"});
}

// The columns of the job as a real sacct printed them of this allocation: 8 CPUs, 8000 MB and 2
// GPUs of billing 25.97 for a day and 30 minutes.
TEST_F(BudgetCommandsTest, SacctPrintsSlurmsColumns) {
  fake_.list_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.report_usage.Answer([](const auto&, v1::ReportUsageResponse* response) {
    v1::UsageReportRow* row = response->add_rows();
    row->set_job_id("2");
    row->set_account("phys");
    row->set_user("ann");
    row->set_qos("double");
    row->set_partition("main");
    row->set_wall_seconds(88200);
    for (const auto& [tres, count] : std::map<std::string, double>{
             {"billing", 1234567.97}, {"cpu", 8}, {"gres/gpu", 2}, {"mem", 8000}, {"node", 1}}) {
      (*row->mutable_tres_seconds())[tres] = count * 88200;
    }
    return grpc::Status::OK;
  });
  EXPECT_EQ(
      Output({"sacct", "-P", "-X", "-j", "2", "-o",
              "JobID,User,Account,Partition,QOS,Elapsed,ElapsedRaw,NNodes,NCPUS,"
              "AllocTRES,CPUTime,CPUTimeRAW"}),
      "JobID|User|Account|Partition|QOS|Elapsed|ElapsedRaw|NNodes|NCPUS|AllocTRES|CPUTime|"
      "CPUTimeRAW\n"
      "2|ann|phys|main|double|1-00:30:00|88200|1|8|billing=1234567,cpu=8,gres/gpu=2,mem=8000M,"
      "node=1|8-04:00:00|705600\n");
}

// The columns that the guide of a site types, and those that XDMoD's shredder of Slurm asks for.
class SacctRecordTest : public BudgetCommandsTest {
 protected:
  SacctRecordTest() {
    fake_.list_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
    fake_.report_usage.Answer([](const auto&, v1::ReportUsageResponse* response) {
      response->set_cluster("orc");
      v1::UsageReportRow* row = response->add_rows();
      row->set_job_id("2");
      row->set_user("no-user-of-this-host");
      row->set_account("phys");
      row->set_qos("normal");
      row->set_partition("main");
      row->set_wall_seconds(60);
      row->mutable_job_start_time()->set_seconds(1795180000);
      row->mutable_job_end_time()->set_seconds(1795180060);
      for (const auto& [tres, count] :
           std::map<std::string, double>{{"cpu", 8}, {"mem", 8192}, {"node", 2}}) {
        (*row->mutable_tres_seconds())[tres] = count * 60;
      }
      return grpc::Status::OK;
    });
  }

  // One record of the whole job.
  void Record(const v1::JobAccounting& job) {
    fake_.list_usage_records.Answer([job](const auto&, v1::ListUsageRecordsResponse* response) {
      v1::UsageRecord* record = response->add_records()->mutable_record();
      record->set_source("slurm");
      record->set_job_id("2");
      record->mutable_start_time()->set_seconds(1795180000);
      record->mutable_end_time()->set_seconds(1795180060);
      *record->mutable_job() = job;
      return grpc::Status::OK;
    });
  }

  std::string Row(const std::string& format) {
    return Output({"sacct", "-P", "-n", "-j", "2", "--format", format});
  }
};

TEST_F(SacctRecordTest, TheGuidesLineWorksAsItIsTyped) {
  v1::JobAccounting job;
  job.set_node_list("n[1-2]");
  job.set_req_mem(4096);
  Record(job);
  EXPECT_EQ(Row("JobID,jobname,NTasks,nodelist,CPUTime,ReqMem,Elapsed"),
            "2|||n[1-2]|00:08:00|4G|00:01:00\n");
}

TEST_F(SacctRecordTest, UnknownTimesAreSlurmsWordAndOtherUnknownsAreBlank) {
  Record({});
  EXPECT_EQ(Row("jobid,jobidraw,cluster,partition,qos,account,group,gid,user,uid,submit,eligible,"
                "elapsed,exitcode,state,nnodes,ncpus,reqcpus,reqmem,reqtres,alloctres,timelimit,"
                "nodelist,jobname"),
            "2|2|orc|main|normal|phys|||no-user-of-this-host||Unknown|Unknown|00:01:00|||2|8|8|8G|"
            "cpu=8,mem=8G,node=2|cpu=8,mem=8G,node=2|||\n");
  EXPECT_EQ(Row("uid,start,end").find("Unknown"), std::string::npos);
}

TEST_F(SacctRecordTest, TheUserDatabaseOfTheHostHasTheUid) {
  Record({});
  fake_.report_usage.Answer([](const auto&, v1::ReportUsageResponse* response) {
    v1::UsageReportRow* row = response->add_rows();
    row->set_job_id("2");
    row->set_user("root");
    return grpc::Status::OK;
  });
  EXPECT_EQ(Row("UID,GID"), "0|\n");
}

TEST_F(BudgetCommandsTest, SacctSaysWhichFieldItDoesNotKnow) {
  const Finished run = Run({"sacct", "-o", "JobID,MaxVMSize"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("\"MaxVMSize\""), HasSubstr("AllocTRES")));
  EXPECT_THAT(Run({"sacct", "-o", "jobidd"}).err, HasSubstr("did you mean JobID?"));
  EXPECT_THAT(Run({"sacct", "-o", ","}).err, HasSubstr("got no field, want one at least"));
}

}  // namespace
}  // namespace priorityd
