// prioctl scancel: what it asks the service for, and what it refuses.
#include "client/prioctl/jobs/scancel.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// On the captured queue: 5 and 6 run, 19 is an array 0-5%2, 20 another with tasks of its own.
class ScancelTest : public PrioctlTest {
 protected:
  ScancelTest() {
    fake_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
      const v1::ListJobsResponse captured = jobs::CapturedJobs();
      for (const v1::TrackedJob& job : captured.jobs()) {
        const bool is_of_user = request.users().empty() || request.users(0) == job.job().user();
        const bool is_in_state = request.states().empty() || request.states(0) == job.job().state();
        if (!is_of_user || !is_in_state) continue;
        *answer->add_jobs() = job;
        answer->mutable_jobs(answer->jobs_size() - 1)->set_source("slurm");
      }
      return grpc::Status::OK;
    });
    fake_.update_jobs.Answer([](const v1::UpdateJobsRequest& request, auto* answer) {
      for (const std::string& id : request.removals()) {
        v1::JobUpdateResult* result = answer->add_removals();
        result->set_job_id(id);
        result->set_outcome(v1::UPDATE_OUTCOME_REMOVED);
      }
      for (const v1::Job& job : request.upserts()) {
        v1::JobUpdateResult* result = answer->add_upserts();
        result->set_job_id(job.job_id());
        result->set_outcome(v1::UPDATE_OUTCOME_UPSERTED);
      }
      return grpc::Status::OK;
    });
  }

  Finished Cancel(const std::vector<std::string>& words, const std::string& in = "") {
    std::vector<std::string> arguments = {"scancel"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return Run(arguments, in);
  }
  // The ids that the last command removed.
  std::vector<std::string> Removed(const std::vector<std::string>& words) {
    const size_t before = fake_.update_jobs.requests().size();
    const Finished run = Cancel(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "");
    std::vector<std::string> ids;
    const auto requests = fake_.update_jobs.requests();
    for (size_t i = before; i < requests.size(); ++i) {
      ids.insert(ids.end(), requests[i].removals().begin(), requests[i].removals().end());
    }
    return ids;
  }
};

TEST_F(ScancelTest, PendingJobsAreRemoved) {
  EXPECT_THAT(Removed({"7", "10"}), ElementsAre("7", "10"));
  EXPECT_EQ(fake_.update_jobs.requests()[0].source(), "");
  EXPECT_THAT(Removed({"19"}), ElementsAre("19")) << "the whole array";
  const Finished run = RunPrioctl({"--server", fake_.address(), "-v", "7"}, "", "scancel");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "scancel: Terminating job 7\n");
}

TEST_F(ScancelTest, TasksAreTakenOutOfTheirArray) {
  EXPECT_THAT(Removed({"19_[1-3]", "19_5"}), IsEmpty());
  const v1::UpdateJobsRequest request = fake_.update_jobs.requests().back();
  EXPECT_THAT(request.update_mask().paths(), ElementsAre("array_task_ids"));
  ASSERT_EQ(request.upserts_size(), 1);
  EXPECT_EQ(request.upserts(0).job_id(), "19");
  EXPECT_EQ(request.upserts(0).array_task_ids(), "0,4%2");
  EXPECT_THAT(Removed({"19_[0-5]"}), ElementsAre("19")) << "no task is left";
}

TEST_F(ScancelTest, ARunningJobIsItsFrontends) {
  const Finished run = Cancel({"5", "7"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err,
            "scancel: error: Kill job error on job id 5: the job has started: priorityd stops no "
            "programs, its frontend slurm cancels it\n");
  EXPECT_THAT(fake_.update_jobs.requests()[0].removals(), ElementsAre("7"));
}

TEST_F(ScancelTest, AnUnknownJobIsAnErrorUnlessAFilterMayHideIt) {
  const Finished run = Cancel({"99999"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "scancel: error: Kill job error on job id 99999: Invalid job id specified\n");
  EXPECT_EQ(Cancel({"-Q", "99999"}).exit_code, 0);
  // `SCANCEL_USER=nobody scancel 1` of the real one: nothing, status 0.
  EXPECT_EQ(Cancel({"-u", "nobody", "7"}).exit_code, 0);
  EXPECT_THAT(fake_.update_jobs.requests(), IsEmpty());
}

TEST_F(ScancelTest, FiltersChooseJobs) {
  EXPECT_THAT(Removed({"-u", "ann", "-t", "PD", "-n", "plain"}), ElementsAre("7"));
  EXPECT_THAT(fake_.list_jobs.requests().back().users(), ElementsAre("ann"));
  EXPECT_THAT(fake_.list_jobs.requests().back().states(), ElementsAre(v1::JOB_STATE_PENDING));
  Removed({"-A", "stars", "-p", "gpu", "-n", "nothing"});
  EXPECT_THAT(fake_.list_jobs.requests().back().accounts(), ElementsAre("stars"));
  EXPECT_THAT(fake_.list_jobs.requests().back().partitions(), ElementsAre("gpu"));
  std::vector<std::string> of_high;
  const v1::ListJobsResponse captured = jobs::CapturedJobs();
  for (const v1::TrackedJob& job : captured.jobs()) {
    const auto& qos = job.job().qos();
    const bool is_high = std::find(qos.begin(), qos.end(), "high") != qos.end();
    const bool waits = job.job().state() == v1::JOB_STATE_PENDING && job.job().user() == "ann";
    if (is_high && waits) of_high.push_back(job.job().job_id());
  }
  EXPECT_GT(of_high.size(), 1u);
  EXPECT_EQ(Removed({"-q", "high", "-t", "PENDING", "-u", "ann"}), of_high);
}

TEST_F(ScancelTest, InteractiveAsksBeforeEachJob) {
  const Finished run = Cancel({"-i", "7", "10"}, "perhaps\nn\ny\n");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out,
              HasSubstr("Cancel job_id=7 name=plain partition=main [y/n]? Cancel job_id=7"));
  EXPECT_THAT(fake_.update_jobs.requests()[0].removals(), ElementsAre("10"));
  Cancel({"-i", "7"}, "");
  EXPECT_EQ(fake_.update_jobs.requests().size(), 1u) << "the end of the input is no";
}

TEST_F(ScancelTest, ARefusalOfTheServiceIsPrinted) {
  fake_.update_jobs.Answer([](const auto&, auto* answer) {
    v1::JobUpdateResult* result = answer->add_removals();
    result->set_job_id("7");
    result->set_outcome(v1::UPDATE_OUTCOME_REFUSED);
    result->set_reason("AccessDenied");
    result->set_message("job_id: got the job of another user, want one of your own");
    return grpc::Status::OK;
  });
  const Finished run = Cancel({"--on-behalf-of", "bob", "7"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("on job id 7: Access/permission denied (job_id: got the job"));
  EXPECT_EQ(fake_.update_jobs.requests()[0].on_behalf_of(), "bob");
}

TEST_F(ScancelTest, WrongCommandLinesAreNamed) {
  EXPECT_THAT(Cancel({}).err, HasSubstr("No job identification provided"));
  EXPECT_THAT(
      Cancel({"-s", "KILL", "7"}).err,
      HasSubstr("--signal: got KILL; signals reach programs, which priorityd does not run"));
  EXPECT_THAT(Cancel({"-t", "NEVER"}).err, HasSubstr("--state: got \"NEVER\", want PENDING"));
  EXPECT_THAT(Cancel({"jobname=plain"}).err, HasSubstr("Invalid job id jobname=plain"));
  for (const char* option : {"--user", "--account", "--partition", "--qos", "--state", "--name"}) {
    EXPECT_THAT(Cancel({option, ""}).err,
                HasSubstr(absl::StrCat(option, ": got an empty value, want a name")));
  }
  EXPECT_THAT(fake_.list_jobs.requests(), IsEmpty());
}

}  // namespace
}  // namespace priorityd
