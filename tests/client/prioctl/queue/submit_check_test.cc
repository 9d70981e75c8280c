// prioctl submit-check: what it asks for a batch script, and what it prints of the answers.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kScript[] =
    "#!/bin/bash\n"
    "#SBATCH -N 2 --ntasks-per-node=4 -t 1:00:00\n"
    "#SBATCH -A stars --output=x.log\n"
    "hostname\n";

class SubmitCheckTest : public PrioctlTest {
 protected:
  SubmitCheckTest() {
    fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
      answer->add_jobs()->mutable_job()->set_job_id("1");
      return grpc::Status::OK;
    });
    fake_.estimate_job_cost.Answer([](const auto&, v1::EstimateJobCostResponse* answer) {
      v1::JobCost* cost = answer->add_costs();
      cost->set_partition("main");
      cost->mutable_billing()->set_billing(8);
      cost->mutable_billing()->set_usage_per_second(8);
      cost->add_sentences("It costs 480 billing-minutes.");
      return grpc::Status::OK;
    });
    fake_.explain.Answer([](const auto& request, v1::ExplainPriorityResponse* answer) {
      answer->set_job_id(request.job_id());
      answer->set_user("ann");
      answer->set_account("stars");
      answer->set_partition("main");
      answer->set_priority(1234);
      answer->set_rank(2);
      answer->set_ranked_total(2);
      return grpc::Status::OK;
    });
    fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
      policy->set_text("NodeName=n[1-2] CPUs=8\nPartitionName=main Nodes=ALL\n");
      return grpc::Status::OK;
    });
    fake_.plan_starts.Answer([](const auto&, v1::PlanStartsResponse* answer) {
      v1::PlannedStart* start = answer->add_starts();
      start->set_message("It starts behind job 1.");
      start->mutable_expected_start()->set_seconds(1'795'363'200);
      return grpc::Status::OK;
    });
  }

  Finished Check(std::vector<std::string> words, const std::string& in = kScript) {
    words.insert(words.begin(), "submit-check");
    return Run(words, in);
  }
};

TEST_F(SubmitCheckTest, TheScriptIsRankedPlannedAndPricedWithTheQueue) {
  const Finished run = Check({"-", "-u", "ann"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const v1::ExplainPriorityRequest explained = fake_.explain.requests()[0];
  ASSERT_EQ(explained.jobs().jobs_size(), 2);
  EXPECT_EQ(explained.jobs().jobs(0).job_id(), "1");
  const v1::Job& job = explained.jobs().jobs(1);
  EXPECT_EQ(job.job_id(), explained.job_id());
  EXPECT_EQ(job.user(), "ann");
  EXPECT_EQ(job.account(), "stars");
  EXPECT_EQ(job.nodes(), 2u);
  EXPECT_EQ(job.cpus(), 8);
  EXPECT_TRUE(job.has_submit_time());
  EXPECT_EQ(fake_.estimate_job_cost.requests()[0].jobs().jobs_size(), 1);
  const v1::PlanStartsRequest planned = fake_.plan_starts.requests()[0];
  EXPECT_THAT(planned.job_ids(), ElementsAre(explained.job_id()));
  ASSERT_EQ(planned.description().node_types_size(), 1);
  EXPECT_EQ(planned.description().node_types(0).hosts(), "n[1-2]");
  EXPECT_THAT(fake_.update_jobs.requests(), IsEmpty()) << "nothing is submitted";
}

TEST_F(SubmitCheckTest, CostPlaceAndStartArePrinted) {
  const Finished run = Check({"-"});
  EXPECT_THAT(run.out, HasSubstr("job of ann (account stars), partition main: 8 CPUs on 2 nodes"));
  EXPECT_THAT(run.out, HasSubstr("billing 8, 8 of usage per second"));
  EXPECT_THAT(run.out, HasSubstr("It costs 480 billing-minutes."));
  EXPECT_THAT(run.out, HasSubstr("priority 1234, rank 2 of 2"));
  EXPECT_THAT(run.out, HasSubstr("It starts behind job 1."));
  EXPECT_EQ(run.err, "warning: - line 3: --output: no effect on priority\n");
}

TEST_F(SubmitCheckTest, SentencesHaveTimesAsTablesHave) {
  fake_.explain.Answer([](const auto&, v1::ExplainPriorityResponse* answer) {
    answer->set_ineligible_reason("BeginTime");
    answer->set_ineligible_message("waits until 2026-11-22T16:00:00+00:00");
    answer->add_sentences("It ages from 2026-11-22T16:00:00+00:00.");
    return grpc::Status::OK;
  });
  fake_.plan_starts.Answer([](const auto&, v1::PlanStartsResponse* answer) {
    answer->add_starts()->set_message("It starts at 2026-11-22T16:00:00+00:00, when job 1 ends.");
    return grpc::Status::OK;
  });
  const std::string out = Check({"-"}).out;
  EXPECT_THAT(out, HasSubstr(", when job 1 ends."));
  EXPECT_THAT(out, ::testing::Not(HasSubstr("+00:00")));
}

TEST_F(SubmitCheckTest, ALimitIsPrintedWithItsReasonAndSentence) {
  fake_.explain.Answer([](const auto&, v1::ExplainPriorityResponse* answer) {
    answer->set_ineligible_reason("AssocGrpCpuLimit");
    answer->set_ineligible_message("account stars has 4 CPUs");
    return grpc::Status::OK;
  });
  fake_.plan_starts.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const Finished run = Check({"-"});
  EXPECT_THAT(run.out, HasSubstr("waits: AssocGrpCpuLimit: account stars has 4 CPUs"));
  EXPECT_THAT(run.out, ::testing::Not(HasSubstr("\nstart\n")));
}

TEST_F(SubmitCheckTest, WithoutNodesNoStartIsPlanned) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
    policy->set_text("PriorityType=priority/multifactor\n");
    return grpc::Status::OK;
  });
  EXPECT_EQ(Check({"-"}).exit_code, 0);
  EXPECT_THAT(fake_.plan_starts.requests(), IsEmpty());
}

TEST_F(SubmitCheckTest, JsonHasEveryAnswer) {
  const Finished run = Check({"-", "--json"});
  EXPECT_THAT(run.out, IsOneLine());
  for (const char* part : {"{\"job\":{", "\"warnings\":[\"- line 3: --output", "\"cost\":{",
                           "\"explanation\":{", "\"start\":{"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST_F(SubmitCheckTest, AnErrorOfSbatchsEndsItWithTheLine) {
  const Finished run = Check({"-"}, "#!/bin/bash\n#SBATCH --nodez=1\n");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "prioctl: - line 2: got --nodez, which sbatch does not have\n");
  EXPECT_THAT(fake_.explain.requests(), IsEmpty());
}

}  // namespace
}  // namespace priorityd
