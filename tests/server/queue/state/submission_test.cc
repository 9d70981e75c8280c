#include "server/queue/state/submission.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

using priority::LimitKind;
using priority::PartLimits;

class SubmissionTest : public QueueUpdateTest {
 protected:
  UpdateResult Submit(const TrackedJob& job) {
    Start();
    return Upsert(job);
  }
};

TEST_F(SubmissionTest, WithoutEnforcementAWrongAccountOrQosWaits) {
  TrackedJob job = Pending("1");
  job.job.account = "nowhere";
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(SubmissionTest, EnforcedAssociationsRefuseWhoHasNone) {
  site_.source.policy.enforce = {.given = true, .associations = true};
  TrackedJob job = Pending("1");
  job.job.account = "nowhere";
  const UpdateResult refused = Submit(job);
  EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(refused.reason, "InvalidAccount");
  EXPECT_EQ(refused.message,
            "Invalid account or account/partition combination specified: account nowhere does not "
            "exist");
}

TEST_F(SubmissionTest, EnforcedQosRefusesOneThatIsNotAllowed) {
  site_.source.policy.enforce = {.given = true, .qos = true};
  TrackedJob job = Pending("1");
  job.job.qos = {"nothing"};
  EXPECT_EQ(Submit(job).reason, "InvalidQOS");
}

TEST_F(SubmissionTest, AnyRefusesWhatFitsNoPartitionAndAllWhatDoesNotFitEach) {
  site_.partition("main").max_time = absl::Minutes(10);
  TrackedJob job = Pending("1");
  job.job.time_limit = absl::Minutes(11);
  job.job.partitions = {"main", "fast"};
  site_.source.policy.enforce_part_limits = PartLimits::kNo;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  site_.source.policy.enforce_part_limits = PartLimits::kAny;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  site_.source.policy.enforce_part_limits = PartLimits::kAll;
  const UpdateResult refused = Submit(job);
  EXPECT_EQ(refused.reason, "PartitionTimeLimit");
  EXPECT_TRUE(absl::StartsWith(refused.message,
                               "Requested time limit is invalid (missing or exceeds some limit): "))
      << refused.message;
  job.job.partitions = {"main"};
  site_.source.policy.enforce_part_limits = PartLimits::kAny;
  EXPECT_EQ(Submit(job).reason, "PartitionTimeLimit");
}

TEST_F(SubmissionTest, WherePartLimitsAreGivenAnUnknownPartitionIsRefused) {
  TrackedJob job = Pending("1");
  job.job.partitions = {"main", "nowhere"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  site_.source.policy.enforce_part_limits = PartLimits::kNo;
  EXPECT_EQ(Submit(job).reason, "InvalidPartition");
}

TEST_F(SubmissionTest, DenyOnLimitRefusesWhatAloneIsMore) {
  site_.association("physics").limits.others = {{LimitKind::kMaxTres, "cpu", 4},
                                                {LimitKind::kMaxJobs, "", 0}};
  TrackedJob job = Pending("1");
  job.job.cpus = 5;
  job.job.qos = {"high"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  site_.qos("high").deny_on_limit = true;
  const UpdateResult refused = Submit(job);
  EXPECT_EQ(refused.reason, "AssocMaxCpuPerJobLimit");
  EXPECT_EQ(
      refused.message,
      "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits): "
      "user ann in account physics: MaxTRES cpu=4: 5 for this job");
  // MaxJobs is of the jobs that run: it makes wait.
  job.job.cpus = 4;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(SubmissionTest, AJobWithoutATimeLimitIsNotRefusedForItsTime) {
  site_.association("physics").limits.others = {{LimitKind::kMaxTresMins, "cpu", 10}};
  site_.qos("high").deny_on_limit = true;
  TrackedJob job = Pending("1");
  job.job.cpus = 1;
  job.job.qos = {"high"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  job.job.time_limit = absl::Minutes(11);
  EXPECT_EQ(Submit(job).reason, "AssocMaxCpuMinutesPerJobLimit");
}

TEST_F(SubmissionTest, AJobThatRunsIsNeverRefused) {
  site_.source.policy.enforce = {.given = true, .associations = true};
  TrackedJob job = Pending("1");
  job.job.account = "nowhere";
  job.job.state = priority::JobState::kRunning;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

}  // namespace
}  // namespace priorityd::queue
