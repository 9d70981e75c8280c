// prioctl plan, preempt, squeue --start and explain with --nodes.
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
using ::testing::Not;

constexpr char kConf[] =
    "NodeName=n[01-04] CPUs=8 RealMemory=1000\n"
    "NodeName=spare CPUs=8\n"
    "PartitionName=main Nodes=n[01-04]\n"
    "Licenses=matlab:3\n";

class PlanTest : public PrioctlTest {
 protected:
  PlanTest() {
    fake_.plan_starts.Answer([](const auto&, v1::PlanStartsResponse* response) {
      v1::PlannedStart* start = response->add_starts();
      start->set_job_id("17");
      start->set_partition("main");
      start->set_rank(1);
      start->set_reserved(true);
      start->mutable_expected_start()->set_seconds(1767610800);  // 2026-01-05T11:00:00Z
      start->set_reason("Resources");
      start->set_message("It needs 1 node of 2 cpu.");
      start->set_behind_job_id("4");
      start->add_nodes("n01");
      start = response->add_starts();
      start->set_job_id("18");
      start->set_rank(2);
      start->set_starts_now(true);
      start->set_backfilled(true);
      start->mutable_expected_start()->set_seconds(1767608400);
      start->add_nodes("n02");
      start->add_nodes("n03");
      response->set_not_looked_at(7);
      return grpc::Status::OK;
    });
  }

  v1::PlanStartsRequest Asked() { return fake_.plan_starts.requests().back(); }

  const std::string conf_ = WriteFile("slurm.conf", kConf);
};

TEST_F(PlanTest, WarnsOfTheNamedJobsThatThePlanDoesNotHave) {
  const Finished run = Run({"plan", "18", "99", "17_[2-4]", "--nodes", conf_});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(
      run.err,
      "warning: the plan has no job 99: it is not pending, it cannot start (prioctl explain), or "
      "it is not one of the jobs looked at\n"
      "warning: the plan has no job 17_[2-4]: it is not pending, it cannot start (prioctl "
      "explain), or it is not one of the jobs looked at; pending tasks of an array are planned as "
      "job 17\n");
  EXPECT_EQ(Run({"plan", "18", "17", "--nodes", conf_}).err, "");
}

TEST_F(PlanTest, PrintsTheStartTheNodesAndTheReason) {
  EXPECT_THAT(Output({"plan", "--nodes", conf_}),
              AllOf(ContainsRegex("1 +17 +main +2026-01-05.* +n01 +Resources +4 +reserved"),
                    ContainsRegex("2 +18 +now +n02,n03 +backfilled"),
                    HasSubstr("7 more jobs not looked at (--max-jobs, bf_max_job_*)")));
}

// Nodes in no partition run nothing.
TEST_F(PlanTest, NodesOfSlurmConfAreDescribed) {
  EXPECT_EQ(Run({"plan", "--nodes", conf_, "--cap", "main=3"}).exit_code, 0);
  const v1::ClusterDescription description = Asked().description();
  ASSERT_EQ(description.node_types_size(), 1);
  EXPECT_EQ(description.node_types(0).hosts(), "n[01-04]");
  EXPECT_EQ(description.node_types(0).tres().at("cpu"), 8);
  EXPECT_EQ(description.node_types(0).tres().at("mem"), 1000);
  EXPECT_THAT(description.node_types(0).partitions(), ElementsAre("main"));
  EXPECT_EQ(description.licenses().at("license/matlab"), 3);
  ASSERT_EQ(description.partition_caps_size(), 1);
  EXPECT_EQ(description.partition_caps(0).partition(), "main");
  EXPECT_EQ(description.partition_caps(0).nodes(), 3u);
  EXPECT_TRUE(Asked().has_tracked());
}

TEST_F(PlanTest, OptionsAreSent) {
  const std::string json =
      WriteFile("nodes.json", R"( {"nodeTypes": [{"name": "a", "nodes": 2, "tres": {"cpu": 4}}]})");
  Output({"plan", "17", "18", "--nodes", json, "--queue", "-", "--backfill", "conservative",
          "--max-jobs", "9", "--window", "90"},
         R"({"jobId": "17", "user": "ann"})");
  EXPECT_EQ(Asked().jobs().jobs_size(), 1);
  EXPECT_EQ(Asked().description().node_types(0).nodes(), 2u);
  EXPECT_EQ(Asked().backfill(), v1::BACKFILL_CONSERVATIVE);
  EXPECT_EQ(Asked().bf_max_job_test(), 9u);
  EXPECT_EQ(Asked().bf_window().seconds(), 5400);
  EXPECT_THAT(Asked().job_ids(), ElementsAre("17", "18"));
}

TEST_F(PlanTest, WithoutNodesAndOptionsThePolicyDecides) {
  EXPECT_EQ(Run({"plan"}).exit_code, 0);
  EXPECT_FALSE(Asked().has_description());
  EXPECT_EQ(Asked().backfill(), v1::BACKFILL_UNSPECIFIED);
  EXPECT_EQ(Asked().bf_max_job_test(), 0u);
  EXPECT_FALSE(Asked().has_bf_window());
  EXPECT_EQ(Run({"plan", "--cap", "main=2"}).exit_code, 0);
  EXPECT_EQ(Asked().description().partition_caps(0).nodes(), 2u);
}

TEST_F(PlanTest, SqueueStartPrintsNoTimeWhereNoNodesAreKnown) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* response) {
    v1::Job* job = response->add_jobs()->mutable_job();
    job->set_job_id("17");
    job->set_state(v1::JOB_STATE_PENDING);
    return grpc::Status::OK;
  });
  fake_.plan_starts.Answer([](const auto&, v1::PlanStartsResponse*) {
    return grpc::Status(grpc::FAILED_PRECONDITION, "description.node_types: got none");
  });
  EXPECT_EQ(Output({"squeue", "--start", "-h", "-o", "%i|%S"}), "17|N/A\n");
}

TEST_F(PlanTest, FaultsNameFileOrOption) {
  EXPECT_THAT(Run({"plan", "--nodes", conf_, "--cap", "main"}).err,
              HasSubstr("--cap: got \"main\", want PARTITION=NODES"));
  EXPECT_THAT(Run({"plan", "--nodes", WriteFile("none.conf", "SlurmUser=x\n")}).err,
              HasSubstr("none.conf: got no NodeName lines, want nodes"));
  EXPECT_THAT(Run({"plan", "--nodes", WriteFile("bad.json", "{\"nodes\": 1}")}).err,
              HasSubstr("bad.json: "));
}

TEST_F(PlanTest, PreemptPrintsTheJobsAndTheirMode) {
  fake_.suggest_preemption.Answer([](const auto&, v1::SuggestPreemptionResponse* response) {
    response->set_possible(true);
    response->set_fewest(true);
    response->set_message("Job 9 can start on n01 if it preempts job 4, of 3 that it may.");
    v1::PreemptionVictim* victim = response->add_victims();
    victim->set_job_id("4");
    victim->set_user("ben");
    victim->set_priority(77);
    victim->set_mode("REQUEUE");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"preempt", "9", "--nodes", conf_, "--exempt", "60"}),
              AllOf(HasSubstr("if it preempts job 4"), ContainsRegex("4 +ben +77 +REQUEUE"),
                    Not(HasSubstr("Fewer"))));
  const v1::SuggestPreemptionRequest asked = fake_.suggest_preemption.requests().back();
  EXPECT_EQ(asked.job_id(), "9");
  EXPECT_EQ(asked.preempt_exempt_time().seconds(), 60);
  Run({"preempt", "9", "--nodes", conf_});
  EXPECT_FALSE(fake_.suggest_preemption.requests().back().has_preempt_exempt_time());
  EXPECT_EQ(asked.description().node_types_size(), 1);
}

TEST_F(PlanTest, SqueueReportsThePlannedStartAndItsReason) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* response) {
    for (const char* id : {"17", "18", "19"}) {
      v1::Job* job = response->add_jobs()->mutable_job();
      job->set_job_id(id);
      job->set_user("ann");
      job->set_state(v1::JOB_STATE_PENDING);
    }
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"squeue", "--start", "--nodes", conf_, "-h", "-o", "%i|%S|%Y|%r"}),
              AllOf(ContainsRegex("17\\|2026-01-05T[0-9:]+\\|n01\\|Resources\n"),
                    ContainsRegex("18\\|2026-01-05T[0-9:]+\\|n02,n03\\|"),
                    ContainsRegex("19\\|N/A\\|\\(null\\)\\|")));
  EXPECT_EQ(Run({"squeue", "--nodes", conf_}).exit_code, 0);
  EXPECT_EQ(fake_.plan_starts.requests().size(), 1u) << "without --start nothing is planned";
}

TEST_F(PlanTest, ExplainReportsTheExpectedStart) {
  fake_.explain.Answer([](const auto&, v1::ExplainPriorityResponse* response) {
    response->set_job_id("17");
    return grpc::Status::OK;
  });
  fake_.plan_starts.Answer([](const auto& request, v1::PlanStartsResponse* response) {
    EXPECT_THAT(request.job_ids(), ElementsAre("17"));
    response->add_starts()->set_message("It may start now on n01.");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"explain", "--job", "17", "--nodes", conf_}),
              HasSubstr("It may start now on n01.\n"));
}

}  // namespace
}  // namespace priorityd
