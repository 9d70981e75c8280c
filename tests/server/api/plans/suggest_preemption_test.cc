// SuggestPreemption through the whole service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/palmetto_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using palmetto::At;
using palmetto::Described;
using palmetto::Runs;
using palmetto::Waits;
using testing::ElementsAre;
using testing::IsEmpty;

// Three nodes of ten CPUs. Two jobs of five run on A, one of ten on B, one of ten on C; an owner's
// waits.
class SuggestPreemptionTest : public testing::Test {
 protected:
  SuggestPreemptionTest() {
    *request_.mutable_description() =
        Described("node_types { name: 'n' hosts: 'A,B,C' tres { key: 'cpu' value: 10 } }");
    request_.mutable_tracked();
    request_.set_job_id("owner");
    for (const auto& [job, node] : {std::pair("a1", "A"), {"a2", "A"}, {"b", "B"}, {"c", "C"}}) {
      v1::JobPlacement& placement = *request_.add_placements();
      placement.set_job_id(job);
      placement.add_nodes(node);
    }
    jobs_ = {Runs("a1", At(9, 0), 5, 600), Runs("a2", At(9, 0), 5, 600),
             Runs("b", At(9, 0), 10, 600), Runs("c", At(9, 30), 10, 600),
             Waits("owner", At(10, 0), 10, 60)};
    jobs_[4].add_partitions("owners");
  }

  void Start(const v1::ImportRequest& site = palmetto::Site()) {
    Import(service_, site);
    service_.SetNow(At(10, 20));
    UpdateJobs(service_, Upserts(jobs_));
  }

  v1::SuggestPreemptionResponse Suggest(grpc::Status* status = nullptr) {
    v1::SuggestPreemptionResponse response;
    const grpc::Status done = CallUnary(service_, request_, &response);
    if (status != nullptr)
      *status = done;
    else
      EXPECT_TRUE(done.ok()) << done.error_message();
    return response;
  }

  static std::vector<std::string> Ids(const v1::SuggestPreemptionResponse& response) {
    std::vector<std::string> ids;
    for (const auto& victim : response.victims()) ids.push_back(victim.job_id());
    return ids;
  }

  TestService service_;
  std::vector<v1::Job> jobs_;
  v1::SuggestPreemptionRequest request_;
};

// "the fewest number of jobs possible": one of B and C, not two of A. Of these "prioritizing lower
// priority jobs": interact has more than work1.
TEST_F(SuggestPreemptionTest, AnOwnerPreemptsTheFewestOfTheLowestPriority) {
  jobs_[3].add_partitions("interact");
  Start();
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_TRUE(response.possible());
  EXPECT_THAT(Ids(response), ElementsAre("b"));
  EXPECT_THAT(response.nodes(), ElementsAre("B"));
  EXPECT_EQ(response.partition(), "owners");
  EXPECT_TRUE(response.fewest());
  EXPECT_EQ(response.preemptible(), 4u);
  const v1::PreemptionVictim& victim = response.victims(0);
  EXPECT_EQ(victim.user(), "amy");
  EXPECT_EQ(victim.account(), "a");
  EXPECT_EQ(victim.partition(), "work1");
  EXPECT_EQ(victim.mode(), "REQUEUE");
  EXPECT_EQ(victim.priority(), 500u) << "PriorityJobFactor 1 of 2 at weight 1000";
  EXPECT_EQ(response.message(), "Job owner can start on B if it preempts job b, of 4 that it may.");
}

// sbatch --no-requeue: slurmctld cancels what it cannot requeue.
TEST_F(SuggestPreemptionTest, AJobThatMayNotBeRequeuedIsCancelled) {
  jobs_[3].set_requeue(false);
  Start();
  EXPECT_EQ(Suggest().victims(0).mode(), "CANCEL");
}

// "If an interactive or Open On Demand job gets preempted, it will be canceled since interactive
// jobs cannot be restarted."
TEST_F(SuggestPreemptionTest, AnInteractiveJobIsCancelled) {
  jobs_[3].set_interactive(true);
  jobs_[3].set_requeue(true);
  Start();
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_THAT(Ids(response), ElementsAre("c"));
  EXPECT_EQ(response.victims(0).mode(), "CANCEL");
}

// "for efficiency, the backfill scheduler will preempt an entire node whether the owner job needs
// all of those resources or not."
TEST_F(SuggestPreemptionTest, WholeNodesTakesWhatElseRunsOnTheNode) {
  jobs_[2].add_partitions("owners");
  jobs_[3].add_partitions("owners");
  jobs_[4].set_cpus(5);
  Start();
  EXPECT_THAT(Ids(Suggest()), ElementsAre("a2"));
  request_.set_whole_nodes(true);
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_THAT(Ids(response), ElementsAre("a2", "a1"));
  EXPECT_THAT(response.nodes(), ElementsAre("A"));
  EXPECT_EQ(response.preemptible(), 2u);
}

TEST_F(SuggestPreemptionTest, GraceTimeAndModeAreThoseOfTheQosByQos) {
  v1::ImportRequest site = palmetto::Site("PreemptType=preempt/qos\nPreemptMode=REQUEUE\n");
  site.mutable_files(1)->set_content(
      "Name|Priority|Preempt|PreemptMode|GraceTime\nnormal|10|||\nlow|1||cancel|00:02:00\n"
      "owner|100|normal,low||\n");
  for (v1::Job& job : jobs_) job.clear_partitions();
  jobs_[2].add_qos("low");
  jobs_[4].add_qos("owner");
  Start(site);
  const v1::PreemptionVictim victim = Suggest().victims(0);
  EXPECT_EQ(victim.job_id(), "b");
  EXPECT_EQ(victim.mode(), "CANCEL");
  EXPECT_EQ(victim.grace_time().seconds(), 120);
}

TEST_F(SuggestPreemptionTest, JobsAboveMinExemptPriorityAreSpared) {
  jobs_[3].add_partitions("interact");
  Start(
      palmetto::Site("PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
                     "PreemptParameters=min_exempt_priority=500,youngest_first\n"));
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_THAT(Ids(response), ElementsAre("b")) << "c has PriorityJobFactor 2 of 2";
  EXPECT_EQ(response.preemptible(), 3u);
}

TEST_F(SuggestPreemptionTest, JobRequeueDecidesForJobsThatDoNotSay) {
  v1::ImportRequest site = palmetto::Site();
  for (v1::File& file : *site.mutable_files()) {
    if (file.kind() == v1::FILE_KIND_SLURM_CONF) file.mutable_content()->append("JobRequeue=0\n");
  }
  Start(site);
  EXPECT_EQ(Suggest().victims(0).mode(), "CANCEL");
  jobs_[3].set_requeue(true);
  UpdateJobs(service_, Upserts({jobs_[3]}));
  EXPECT_EQ(Suggest().victims(0).mode(), "REQUEUE");
}

TEST_F(SuggestPreemptionTest, OfEqualsTheOneThatStartedLastGoes) {
  Start();
  EXPECT_THAT(Ids(Suggest()), ElementsAre("c"));
}

// "Slurm will always attempt to start an owner job without preempting."
TEST_F(SuggestPreemptionTest, AJobThatFitsPreemptsNobody) {
  jobs_.erase(jobs_.begin() + 2);
  Start();
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_TRUE(response.possible());
  EXPECT_THAT(response.victims(), IsEmpty());
  EXPECT_THAT(response.nodes(), ElementsAre("B"));
}

// "Jobs in this partition will not preempt other jobs": interact, work1.
TEST_F(SuggestPreemptionTest, OthersThanOwnersPreemptNobody) {
  jobs_[4].clear_partitions();
  Start();
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_FALSE(response.possible());
  EXPECT_EQ(response.preemptible(), 0u);
}

// "can preempt any non-owner job".
TEST_F(SuggestPreemptionTest, OwnersDoNotPreemptOwners) {
  for (int job = 0; job < 4; ++job) jobs_[job].add_partitions("owners");
  Start();
  EXPECT_FALSE(Suggest().possible());
}

TEST_F(SuggestPreemptionTest, PreemptExemptTimeSparesJobsThatBeganLately) {
  Start();
  request_.mutable_preempt_exempt_time()->set_seconds(60 * 60);
  EXPECT_THAT(Ids(Suggest()), ElementsAre("b")) << "c runs for 50 minutes";
  request_.mutable_preempt_exempt_time()->set_seconds(2 * 60 * 60);
  EXPECT_FALSE(Suggest().possible());
}

TEST_F(SuggestPreemptionTest, WithoutOneInTheRequestThePoliciesExemptTimeHolds) {
  Start(
      palmetto::Site("PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n"
                     "PreemptExemptTime=01:00:00\n"));
  EXPECT_THAT(Ids(Suggest()), ElementsAre("b")) << "c runs for 50 minutes";
  request_.mutable_preempt_exempt_time()->set_seconds(0);
  EXPECT_THAT(Ids(Suggest()), ElementsAre("c")) << "what the request says goes before it";
}

TEST_F(SuggestPreemptionTest, AQosExemptTimeGoesBeforeThePolicys) {
  v1::ImportRequest site = palmetto::Site(
      "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nPreemptExemptTime=01:00:00\n");
  // `low` is exempt for two hours, `owner` not at all, `normal` as the policy says.
  site.mutable_files(1)->set_content(
      "Name|Priority|Preempt|PreemptExemptTime\nnormal|10||\nlow|1||02:00:00\n"
      "owner|100|normal,low|00:00:00\n");
  jobs_[2].add_qos("low");
  jobs_[3].add_qos("owner");
  Start(site);
  // b runs for 80 minutes, a1 and a2 too, c for 50.
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_THAT(Ids(response), ElementsAre("c"));
  EXPECT_EQ(response.preemptible(), 3u);
}

TEST_F(SuggestPreemptionTest, ASuspendedJobLosesNothingAndIsNotExempt) {
  Start(
      palmetto::Site("PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n"
                     "PreemptExemptTime=01:00:00\n"));
  EXPECT_THAT(Ids(Suggest()), ElementsAre("c"));
}

TEST_F(SuggestPreemptionTest, ByQosItsListDecidesThePreemptedJobs) {
  for (v1::Job& job : jobs_) job.clear_partitions();
  jobs_[2].add_qos("low");
  jobs_[3].add_qos("owner");
  jobs_[4].add_qos("owner");
  Start(palmetto::Site("PreemptType=preempt/qos\nPreemptMode=CANCEL\n"));
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_THAT(Ids(response), ElementsAre("b"));
  EXPECT_EQ(response.victims(0).mode(), "CANCEL");
  EXPECT_EQ(response.preemptible(), 3u);
}

TEST_F(SuggestPreemptionTest, WithoutPreemptTypeNobodyIsPreempted) {
  Start(palmetto::Site(""));
  const v1::SuggestPreemptionResponse response = Suggest();
  EXPECT_FALSE(response.possible());
  EXPECT_EQ(response.message(),
            "Job owner does not fit now, and with PreemptType=preempt/none no job is preempted.");
}

TEST_F(SuggestPreemptionTest, AJobThatMayNotStartPreemptsNobody) {
  jobs_[4].set_hold(v1::HOLD_USER);
  Start();
  EXPECT_EQ(Suggest().message(),
            "Job owner cannot start, whichever jobs are preempted: JobHeldUser.");
}

TEST_F(SuggestPreemptionTest, OnlyAWaitingJobCanBeAskedFor) {
  Start();
  grpc::Status status;
  request_.set_job_id("b");
  Suggest(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  request_.set_job_id("nobody");
  Suggest(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  request_.clear_job_id();
  Suggest(&status);
  EXPECT_EQ(DetailsOf(status).Fields(), "job_id");
}

}  // namespace
}  // namespace priorityd::rpc
