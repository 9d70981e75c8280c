// What prioctl asks and prints of a queue: rank, explain.
#include <array>
#include <atomic>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(PrioctlTest, ImportSqueueNamesMissingColumnsAndUnderStrictSendsNothing) {
  fake_.update_jobs.Answer(
      [](const v1::UpdateJobsRequest& request, v1::UpdateJobsResponse* answer) {
        for (int i = 0; i < request.upserts_size(); ++i) answer->add_upserts();
        return grpc::Status::OK;
      });
  const std::string file = WriteFile("squeue.txt",
                                     "JOBID|USER|ACCOUNT|PARTITION|QOS|STATE|TIME_LIMIT|NODES|CPUS|"
                                     "SUBMIT_TIME|DEPENDENCY|NICE|REASON\n"
                                     "7|ann|lab|gpu|normal|PENDING|1:00|2|2|2026-11-22T16:00:00|"
                                     "(null)|0|None\n");
  EXPECT_THAT(Failure(1, {"import", "squeue", file, "--strict"}),
              HasSubstr("nothing was imported, because of --strict"));
  EXPECT_TRUE(fake_.update_jobs.requests().empty());
  const Finished run = Run({"import", "squeue", file});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("lost: no column MIN_MEMORY (%m), so nothing is known of memory: 1 "
                        "row, the first "));
  EXPECT_THAT(run.err, HasSubstr("lost: no column TRES_PER_NODE (%b)"));
  EXPECT_EQ(fake_.update_jobs.requests().size(), 1u);
}

TEST_F(PrioctlTest, RankAsksForWhatTheOptionsSay) {
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  ASSERT_EQ(Run({"rank", "-", "--as-of", "2026-11-20T13:07:11Z", "--limit", "5", "--best-only",
                 "--cluster", "orc"},
                kTwoJobs)
                .exit_code,
            0);
  const v1::RankJobsRequest request = fake_.rank_jobs.requests()[0];
  EXPECT_EQ(request.jobs().jobs_size(), 2);
  EXPECT_EQ(request.as_of().seconds(), 1795180031);
  EXPECT_EQ(request.limit(), 5);
  EXPECT_EQ(request.ineligible_limit(), 5);
  EXPECT_TRUE(request.best_only());
  EXPECT_EQ(request.cluster(), "orc");
  EXPECT_EQ(request.view(), v1::RANK_VIEW_FULL);  // The one that has users and accounts.
}

void AnswerOneRow(FakePriorityd& fake) {
  fake.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    auto* row = response->add_ranked();
    row->set_job_id("2");
    row->set_partition("main");
    row->set_priority(16232);
    row->set_rank(1);
    row->set_best_of_job(true);
    row->mutable_factors()->set_age(0.25);
    row->mutable_contributions()->set_age(250);
    auto* ineligible = response->add_ineligible();
    ineligible->set_job_id("1");
    ineligible->set_reason("Dependency");
    ineligible->set_message("waits for job 7");
    return grpc::Status::OK;
  });
}

TEST_F(PrioctlTest, AQueueIsUpdatedOnBehalfOfAUser) {
  fake_.update_jobs.Answer(
      [](const v1::UpdateJobsRequest& request, v1::UpdateJobsResponse* answer) {
        for (int i = 0; i < request.upserts_size(); ++i) answer->add_upserts();
        for (int i = 0; i < request.removals_size(); ++i) answer->add_removals();
        return grpc::Status::OK;
      });
  Run({"queue", "update", "-", "--on-behalf-of", "ann"}, kTwoJobs);
  Run({"queue", "remove", "7", "--on-behalf-of=ann"});
  Run({"queue", "remove", "8"});
  const std::vector<v1::UpdateJobsRequest> requests = fake_.update_jobs.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].on_behalf_of(), "ann");
  EXPECT_EQ(requests[0].upserts_size(), 2);
  EXPECT_EQ(requests[1].on_behalf_of(), "ann");
  EXPECT_EQ(requests[2].on_behalf_of(), "");
}

// prioctl sends 20,000 jobs in a call.
TEST_F(PrioctlTest, AnUpdateOfAnyNumberOfJobsIsOneJsonDocument) {
  fake_.update_jobs.Answer(
      [](const v1::UpdateJobsRequest& request, v1::UpdateJobsResponse* answer) {
        for (const v1::Job& job : request.upserts())
          answer->add_upserts()->set_job_id(job.job_id());
        return request.upserts_size() == 1 && request.upserts(0).job_id() == "20001"
                   ? grpc::Status(grpc::StatusCode::INTERNAL, "no more")
                   : grpc::Status::OK;
      });
  for (const auto& [jobs, answered, exit_code] :
       {std::array{0, 0, 0}, std::array{2, 2, 0}, std::array{20'001, 20'000, 1},
        std::array{20'002, 20'002, 0}}) {
    std::string lines;
    for (int id = 1; id <= jobs; ++id) absl::StrAppend(&lines, "{\"jobId\":\"", id, "\"}\n");
    const Finished run = Run({"queue", "update", "-", "--json"}, lines);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_THAT(run.out, IsOneLine()) << jobs;
    v1::UpdateJobsResponse answer;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &answer).ok()) << jobs;
    EXPECT_EQ(answer.upserts_size(), answered);
  }
}

TEST_F(PrioctlTest, AJobThatCannotBeRemovedIsReportedAndFailsTheCommand) {
  fake_.update_jobs.Answer([](const auto&, v1::UpdateJobsResponse* answer) {
    v1::JobUpdateResult* result = answer->add_removals();
    result->set_job_id("9999");
    result->set_outcome(v1::UPDATE_OUTCOME_UNCHANGED);
    return grpc::Status::OK;
  });
  EXPECT_EQ(Failure(1, {"queue", "remove", "9999"}),
            "prioctl: 1 job not taken; the first: 9999: the queue has no such job\n");
}

TEST_F(PrioctlTest, AListShowsWhatAppliesOrWhatWasSent) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
    v1::TrackedJob& tracked = *answer->add_jobs();
    tracked.mutable_job()->set_job_id("7");
    tracked.mutable_job()->set_state(v1::JOB_STATE_PENDING);
    tracked.set_account("chem");
    tracked.add_partitions("main");
    tracked.add_qos("normal");
    return grpc::Status::OK;
  });
  const Finished applied = Run({"queue", "list", "-A", "chem", "-p", "main", "-q", "normal"});
  EXPECT_THAT(applied.out, testing::ContainsRegex("chem +main +normal"));
  const Finished sent = Run({"queue", "list", "-q", "normal", "--as-submitted"});
  EXPECT_THAT(sent.out, Not(HasSubstr("chem")));
  const std::vector<v1::ListJobsRequest> requests = fake_.list_jobs.requests();
  EXPECT_EQ(requests[0].qos(0), "normal");
  EXPECT_FALSE(requests[0].as_submitted());
  EXPECT_TRUE(requests[1].as_submitted());
}

TEST_F(PrioctlTest, ASyncOfNothingIsAskedAboutUnlessThereIsNothing) {
  std::atomic<int> jobs = 2;
  fake_.list_jobs.Answer([&](const auto&, v1::ListJobsResponse* answer) {
    answer->set_total(jobs);
    return grpc::Status::OK;
  });
  fake_.update_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Failure(1, {"queue", "sync", "/dev/null", "--source", "slurm"}),
            "prioctl: /dev/null names no job: remove the 2 jobs of source slurm? Nothing was done: "
            "there is no terminal to ask on, give --yes\n");
  EXPECT_EQ(fake_.list_jobs.requests()[0].sources(0), "slurm");
  EXPECT_TRUE(fake_.update_jobs.requests().empty());
  EXPECT_EQ(Run({"queue", "sync", "/dev/null", "-y"}).exit_code, 0);
  jobs = 0;
  EXPECT_EQ(Run({"queue", "sync", "/dev/null"}).exit_code, 0);
  EXPECT_EQ(fake_.update_jobs.requests().size(), 2u);
}

TEST_F(PrioctlTest, JobsMayHaveNumbersAsIdsAndStatesAsTablesPrintThem) {
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  Output({"rank", "-"},
         "\xEF\xBB\xBF{\"jobId\": 7, \"state\": \"running\", \"hold\": \"HOLD_USER\"}\n");
  const v1::Job job = fake_.rank_jobs.requests()[0].jobs().jobs(0);
  EXPECT_EQ(job.job_id(), "7");
  EXPECT_EQ(job.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(job.hold(), v1::HOLD_USER);
}

TEST_F(PrioctlTest, AJobWithoutAnIdIsNamedByItsLine) {
  EXPECT_EQ(Failure(1, {"rank", "-"}, std::string(kTwoJobs) + "\n{\"user\": \"ann\"}\n"),
            "prioctl: standard input line 4: jobId: got none, want the job's id\n");
}

TEST_F(PrioctlTest, AQueueThatIsAnotherFileIsCalledThat) {
  EXPECT_THAT(Run({"policy", "lint", "-"}, "PriorityType=priority/multifactor\n").err,
              HasSubstr("standard input line 1: this looks like a slurm.conf, want JSON Lines"));
}

// How old an answer is that comes while the database is away.
TEST_F(PrioctlTest, AStaleSnapshotIsCalledThat) {
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    response->mutable_snapshot()->mutable_stale_for()->set_seconds(75);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"rank"}).out,
              HasSubstr("STALE: the service has not reached its database for 00:01:15\n"));
}

TEST_F(PrioctlTest, NamesAreShownInTheirOwnLetters) {
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    auto* row = response->add_ranked();
    row->set_user("zo\xc3\xab");
    row->set_account("chemie");
    row->set_partition(
        "gr\xc3\xb6\xc3\x9f"
        "e");
    row->set_priority_tier(30);
    return grpc::Status::OK;
  });
  const Finished run = Run({"rank"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("zo\xc3\xab  chemie  gr\xc3\xb6\xc3\x9f"
                                       "e "),
                             HasSubstr(" TIER "), HasSubstr("   30 ")));
}

TEST_F(PrioctlTest, TimesAreOfTheUsersTimeZoneAndWholeInJson) {
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    response->mutable_as_of()->set_seconds(1795180031);
    response->mutable_as_of()->set_nanos(250000000);
    return grpc::Status::OK;
  });
  setenv("TZ", "America/New_York", 1);
  const Finished table = Run({"rank", "--as-of", "2026-11-20T08:07:11"});
  const Finished json = Run({"rank", "--json"});
  unsetenv("TZ");
  EXPECT_EQ(fake_.rank_jobs.requests()[0].as_of().seconds(), 1795180031);
  EXPECT_THAT(table.out, HasSubstr("as of 2026-11-20T08:07:11\n"));
  EXPECT_THAT(json.out, HasSubstr("\"asOf\":\"2026-11-20T13:07:11.250Z\""));
}

TEST_F(PrioctlTest, PlacesOfOthersAreCounted) {
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    response->add_ranked()->set_rank(3);
    response->set_ranked_total(9);
    response->set_ranked_others(2);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"rank"}).out,
              HasSubstr("1 of 9 rows in start order (2 places are of others), "));
}

TEST_F(PrioctlTest, RankWithoutAFileIsOfTheTrackedQueue) {
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  ASSERT_EQ(Run({"rank"}).exit_code, 0);
  EXPECT_TRUE(fake_.rank_jobs.requests()[0].has_tracked());
}

TEST_F(PrioctlTest, SprioRefusesFieldsThatItDoesNotKnow) {
  fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"sprio", "-o", "%.5Z"}).err,
            "prioctl: --format: got field Z, want one of ABFJNPQSTYabcfijnopqrtuy\n");
  EXPECT_EQ(Run({"sprio", "-S", "Z"}).exit_code, 2);
}

TEST_F(PrioctlTest, RankPrintsATable) {
  AnswerOneRow(fake_);
  EXPECT_THAT(Output({"rank", "-", "--explain"}, kTwoJobs),
              AllOf(HasSubstr("RANK"), HasSubstr("16232"), HasSubstr("FAIRSHARE"),
                    HasSubstr("Dependency"), HasSubstr("waits for job 7")));
  EXPECT_EQ(fake_.rank_jobs.requests()[0].view(), v1::RANK_VIEW_FULL);
}

TEST_F(PrioctlTest, JsonIsOneDocumentWithDefaultsAndFactors) {
  AnswerOneRow(fake_);
  const std::string out = Output({"rank", "-", "--json"}, kTwoJobs);
  EXPECT_THAT(out, HasSubstr("\"running\":[]"));
  EXPECT_THAT(out, IsOneLine());
  v1::RankJobsResponse response;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(out, &response).ok());
  EXPECT_EQ(response.ranked(0).factors().age(), 0.25);
  EXPECT_EQ(fake_.rank_jobs.requests()[0].view(), v1::RANK_VIEW_FULL);
}

TEST_F(PrioctlTest, ExplainPicksTheJob) {
  fake_.explain.Answer([](const auto&, v1::ExplainPriorityResponse* response) {
    response->set_job_id("2");
    response->add_sentences("It waits for its turn.");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"explain", "-", "--job", "2", "--partition", "main"}, kTwoJobs),
              HasSubstr("It waits for its turn."));
  EXPECT_EQ(fake_.explain.requests()[0].job_id(), "2");
  EXPECT_EQ(fake_.explain.requests()[0].partition(), "main");
}

TEST_F(PrioctlTest, ExplainReportsTheApproximateStart) {
  v1::PlannedStart start;
  fake_.explain.Answer([&](const auto&, v1::ExplainPriorityResponse* response) {
    response->set_job_id("2");
    response->mutable_as_of()->set_seconds(1767607800);  // 2026-01-05T10:10:00Z
    *response->mutable_planned_start() = start;
    return grpc::Status::OK;
  });
  const auto told = [&] { return Run({"explain", "--job", "2"}).out; };
  start.mutable_expected_start()->set_seconds(1767607800 + 130 * 60);
  start.set_behind_job_id("812");
  EXPECT_THAT(told(), HasSubstr("It starts about 12:20 (in 2 h 10 min) behind job 812, if"));
  start.clear_behind_job_id();
  start.mutable_expected_start()->set_seconds(1767607800 + 28 * 3600);
  EXPECT_THAT(told(), HasSubstr("It starts about 2026-01-06 14:10 (in 1 d 4 h), if"));
  start.set_reason("ReqNodeNotAvail");
  start.set_message("Reservation m1 has nodes of its partition.");
  EXPECT_THAT(told(), HasSubstr("job 2: Reservation m1 has nodes of its partition.\n"));
  start.set_starts_now(true);
  start.set_message("It may start now on n1.");
  EXPECT_THAT(told(), HasSubstr("job 2: It may start now on n1.\n"));
}

TEST_F(PrioctlTest, ExplainComparesTwoJobsSideBySide) {
  fake_.explain.Answer([](const auto&, v1::ExplainPriorityResponse* response) {
    v1::Comparison* comparison = response->mutable_comparison();
    comparison->mutable_job()->set_job_id("1");
    comparison->mutable_compare_to()->set_job_id("2");
    comparison->add_sentences("Job 2 starts before job 1: its priority is higher.");
    v1::FactorComparison* age = comparison->add_factors();
    age->set_name("age");
    age->mutable_job()->set_contribution(100);
    age->mutable_compare_to()->set_contribution(350);
    age->set_difference(-250);
    v1::BranchShare* branch = comparison->mutable_branches()->mutable_job();
    branch->mutable_association()->set_account("chem");
    branch->set_usage(0.63);
    branch->set_shares(0.4);
    comparison->add_changes()->set_sentence("Waiting: job 1 comes first in 01:00:00.");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"explain", "-", "--job", "1", "--compare-to", "2", "--compare-to-partition",
                      "main", "--compare-to-qos", "high"},
                     kTwoJobs),
              AllOf(HasSubstr("compared to job 2"), HasSubstr("Job 2 starts before job 1"),
                    HasSubstr("JOB 2 POINTS"), HasSubstr("-250.00"), HasSubstr("chem"),
                    HasSubstr("63.0%"), HasSubstr("Waiting: job 1 comes first in 01:00:00.")));
  const v1::CompareTo asked = fake_.explain.requests()[0].compare_to();
  EXPECT_EQ(asked.job_id(), "2");
  EXPECT_EQ(asked.partition(), "main");
  EXPECT_EQ(asked.qos(), "high");
}

TEST_F(PrioctlTest, WithoutCompareToNothingIsCompared) {
  fake_.explain.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Run({"explain", "-", "--job", "1"}, kTwoJobs).out, Not(HasSubstr("compared")));
  EXPECT_FALSE(fake_.explain.requests()[0].has_compare_to());
  EXPECT_EQ(Run({"explain", "-", "--compare-to-qos", "high"}, kTwoJobs).exit_code, 2);
}

}  // namespace
}  // namespace priorityd
