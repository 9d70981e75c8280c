#include "server/queue/state/submission.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "server/queue/state/packed_job.h"
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

TEST_F(SubmissionTest, AnyRefusesWhatFitsNoneThatIsUpButForADownOneAlone) {
  site_.source.policy.enforce_part_limits = PartLimits::kAny;
  site_.partition("main").up = false;
  site_.partition("fast").max_time = absl::Minutes(10);
  TrackedJob job = Pending("1");
  job.job.time_limit = absl::Minutes(11);
  job.job.partitions = {"main"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  job.job.partitions = {"main", "fast"};
  EXPECT_TRUE(absl::StartsWith(Submit(job).message,
                               "Requested partition configuration not available now: "));
}

TEST_F(SubmissionTest, APartitionThatTakesNoJobsRefusesThemInAllModes) {
  TrackedJob job = Pending("1");
  job.job.partitions = {"main"};
  for (const bool up : {true, false}) {
    site_.partition("main").up = up;
    site_.partition("main").open = false;
    const UpdateResult refused = Submit(job);
    EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
    EXPECT_EQ(refused.message,
              std::string("Required partition not available (inactive or drain): partition main "
                          "is ") +
                  (up ? "DRAIN" : "INACTIVE"));
  }
  job.job.partitions = {"main", "fast"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(SubmissionTest, RootOnlyTakesRootAloneAndMaxCpusPerNodeNoMore) {
  TrackedJob job = Pending("1");
  job.job.partitions = {"main"};
  site_.partition("main").root_only = true;
  EXPECT_TRUE(absl::StartsWith(Submit(job).message, "Access/permission denied: "));
  site_.partition("main").root_only = false;
  site_.partition("main").max_cpus_per_node = 8;
  job.job.nodes = 1;
  job.job.cpus = 9;
  EXPECT_TRUE(
      absl::StartsWith(Submit(job).message, "Requested node configuration is not available: "));
  job.job.nodes = 2;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  // Without a number of nodes it may take all of the partition's.
  job.job.nodes = 0;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(SubmissionTest, DisableRootJobsRefusesRootInAllPartitionsOrInOne) {
  site_.association("physics", "bob").user = "root";
  TrackedJob job = Pending("1");
  job.job.user = "root";
  job.job.partitions = {"main"};
  priority::Policy& policy = site_.source.policy;
  policy.disable_root_jobs = true;
  EXPECT_EQ(Submit(job).message, "Access/permission denied: partition main takes no jobs of root");
  policy.partition_rules["main"].disable_root_jobs = false;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  policy.disable_root_jobs = false;
  policy.partition_rules["main"].disable_root_jobs = true;
  job = Pending("2");
  job.job.partitions = {"main"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted) << "not root's";
}

TEST_F(SubmissionTest, ReqResvWantsAReservation) {
  TrackedJob job = Pending("1");
  job.job.partitions = {"main"};
  site_.source.policy.partition_rules["main"].requires_reservation = true;
  EXPECT_EQ(Submit(job).message,
            "Access/permission denied: partition main takes only jobs with a reservation "
            "(ReqResv)");
  job.job.reservation = "exam";
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(SubmissionTest, AllowGroupsAsksWhoIsInThem) {
  site_.partition("main").allow_groups = {"staff", "ops"};
  TrackedJob job = Pending("1");
  job.job.partitions = {"main"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  std::string member = "bob";
  Submission submission(*queue_->state(), [&](absl::string_view group, absl::string_view user) {
    return group == "ops" && user == member;
  });
  const std::optional<Refusal> refused = submission.Refuse(job);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->message,
            "User's group not permitted to use this partition: user ann is in none of AllowGroups "
            "staff,ops of partition main");
  member = "ann";
  EXPECT_FALSE(submission.Refuse(job).has_value());
}

// Where associations are not enforced, slurmctld holds jobs without one to the rules of partitions
// except the lists of accounts and QOS.
TEST_F(SubmissionTest, AJobWithoutAnAssociationEntersPartitionsByTheSameRules) {
  TrackedJob job = Pending("1");
  job.job.account = "nowhere";
  job.job.partitions = {"main"};
  job.job.time_limit = absl::Minutes(11);
  site_.partition("main").allow_accounts = {"physics"};
  site_.source.policy.enforce_part_limits = PartLimits::kAll;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  site_.partition("main").max_time = absl::Minutes(10);
  EXPECT_EQ(Submit(job).reason, "PartitionTimeLimit");
  site_.partition("main").root_only = true;
  EXPECT_EQ(Submit(job).reason, "AccessDenied");
  site_.partition("main").open = false;
  EXPECT_EQ(Submit(job).reason, "PartitionInactive");
  job.job.partitions = {"fast"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(SubmissionTest, SeveralPartitionsAreRefusedWhereOneHasAnAssociationOfItsOwn) {
  priority::Association own = site_.association("physics", "ann");
  own.id = 7;
  own.partition = "fast";
  site_.associations.push_back(own);
  TrackedJob job = Pending("1");
  job.job.partitions = {"main", "fast"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  site_.source.policy.enforce = {.given = true, .associations = true};
  EXPECT_TRUE(absl::StartsWith(Submit(job).message,
                               "Multiple partition job request not supported when a partition is "
                               "set in the association"));
  job.job.partitions = {"fast"};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
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
      "account physics lets a job have 4 CPUs (MaxTRES cpu=4): this job requests 5");
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
  job.job.state = priority::JobState::kSuspended;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(SubmissionTest, AJobThatRunsIsNotRefusedByASubmitLimitAndCountsAgainstIt) {
  site_.association("physics", "ann").limits.max_submit_jobs = 1;
  Start();
  TrackedJob runs = Pending("1");
  runs.job.state = priority::JobState::kRunning;
  TrackedJob other = Pending("2");
  other.job.state = priority::JobState::kRunning;
  EXPECT_EQ(Upsert(runs).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(Upsert(other).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(Upsert(Pending("3")).reason, "AssocMaxSubmitJobLimit");
}

TEST_F(SubmissionTest, WhatIsInAnotherQueueAlreadyIsTakenAndWaits) {
  site_.association("physics", "ann").limits.max_submit_jobs = 1;
  site_.source.policy.enforce = {.given = true, .associations = true};
  site_.partition("main").up = site_.partition("main").open = false;
  Start();
  TrackedJob in_main = Pending("1");
  in_main.job.partitions = {"main"};
  TrackedJob over_limit = Pending("2");
  over_limit.job.partitions = {"fast"};
  TrackedJob of_nobody = Pending("3");
  of_nobody.job.account = "nowhere";
  QueueUpdate update(*queue_, priority::kNow, {}, {}, {.mirrored = true, .admitted = {}});
  for (const TrackedJob& job : {in_main, over_limit, of_nobody}) update.Upsert(job);
  queue_->Apply(update.Finish());
  for (const UpdateResult& result : update.results()) {
    EXPECT_EQ(result.outcome, UpdateOutcome::kUpserted) << result.message;
  }
  EXPECT_EQ(Reasons(), (std::map<std::string, std::string>{
                           {"1", "PartitionInactive"}, {"2", ""}, {"3", "InvalidAccount"}}));
}

TEST_F(SubmissionTest, WhatANewerConfigurationMayTakeIsRefusedForLicensesAlone) {
  site_.source.policy.enforce_part_limits = priority::PartLimits::kAll;
  site_.partition("main").max_time = absl::Hours(1);
  Start();
  TrackedJob long_job = Pending("1");
  long_job.job.time_limit = absl::Hours(2);
  EXPECT_EQ(Upsert(long_job).reason, "PartitionTimeLimit");
  TrackedJob licensed = Pending("2");
  licensed.job.time_limit = absl::Hours(2);
  licensed.job.tres = {{"license/matlab", 11}};
  QueueUpdate update(*queue_, priority::kNow, {}, {}, {.mirrored = false, .admitted = {"1", "2"}});
  update.Upsert(long_job);
  update.Upsert(licensed);
  queue_->Apply(update.Finish());
  EXPECT_EQ(update.results()[0].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(update.results()[1].reason, "BadConstraints");
  EXPECT_EQ(Reasons()["1"], "PartitionTimeLimit");
}

TEST_F(SubmissionTest, WhoIsKnownToBeThereIsTakenBeforeTheSnapshotHasIt) {
  site_.source.policy.enforce = {.given = true, .associations = true};
  Start();
  TrackedJob made = Pending("1");
  made.job.account = "new";
  TrackedJob unknown = Pending("2");
  unknown.job.account = "nowhere";
  QueueUpdate update(*queue_, priority::kNow, {}, {}, {.mirrored = false, .admitted = {"1"}});
  update.Upsert(made);
  update.Upsert(unknown);
  queue_->Apply(update.Finish());
  EXPECT_EQ(update.results()[0].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(update.results()[1].reason, "InvalidAccount");
  EXPECT_EQ(UnpackJob(update.results()[1].refused_by_snapshot).job.account, "nowhere");
  EXPECT_EQ(Reasons()["1"], "InvalidAccount");
}

// ann's jobs are of physics.
class RefusingGrantTest : public SubmissionTest {
 protected:
  RefusingGrantTest() {
    priority::GrantStanding& grant = site_.source.grants.emplace_back();
    grant.name = "q4";
    grant.accounts = {"physics"};
    grant.tres = "cpu";
    grant.available = grant.used = 60;
    grant.until = absl::InfiniteFuture();
    grant.consequence = priority::GrantConsequence::kRefuse;
  }
};

TEST_F(RefusingGrantTest, AUsedUpGrantRefusesNewJobs) {
  TrackedJob job = Pending("1");
  job.job.cpus = 1;
  const UpdateResult refused = Submit(job);
  EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(refused.reason, "AssocGrpCPUMinutesLimit");
  EXPECT_EQ(refused.message,
            "Job violates accounting/QOS policy (job submit limit, user's size and/or time "
            "limits): grant q4 of account physics is used up");
}

TEST_F(RefusingGrantTest, AGrantOfASumRefusesJobsThatRequestAnyOfIt) {
  site_.source.grants.Change(0).tres = "gres/gpu=20,gres/shard=0.5";
  TrackedJob job = Pending("1");
  job.job.cpus = 1;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  TrackedJob other = Pending("2");
  other.job.tres = {{"gres/shard", 1}};
  const UpdateResult refused = Submit(other);
  EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(refused.reason, "AssocGrpBillingMinutes");
}

TEST_F(RefusingGrantTest, WhileSomethingIsLeftItRefusesNothing) {
  site_.source.grants.Change(0).used = 59;
  TrackedJob job = Pending("1");
  job.job.cpus = 1;
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(RefusingGrantTest, AJobThatDoesNotRequestTheTresIsAccepted) {
  site_.source.grants.Change(0).tres = "gres/gpu";
  TrackedJob job = Pending("1");
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  job.job.job_id = "2";
  job.job.tres = {{"gres/gpu", 1}};
  EXPECT_EQ(Submit(job).reason, "AssocGrpGRESMinutes");
}

TEST_F(RefusingGrantTest, JobsOfTheQueueStay) {
  site_.source.grants.Change(0).used = 59;
  Start();
  EXPECT_EQ(Upsert(Pending("1")).outcome, UpdateOutcome::kUpserted);
  site_.source.grants.Change(0).used = 60;
  queue_->SetSnapshot(site_.Build());
  TrackedJob job = Pending("1");
  job.job.cpus = 2;
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kUpserted);
}

}  // namespace
}  // namespace priorityd::queue
