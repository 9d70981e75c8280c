// What a request does to the tracked queue.
#include "server/queue/state/queue_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/queue/state/queue_ranking.h"
#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

TEST_F(QueueUpdateTest, TheSameAgainChangesNothing) {
  EXPECT_EQ(Upsert(Pending("1")).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(Upsert(Pending("1"), priority::kNow + absl::Hours(1)).outcome,
            UpdateOutcome::kUnchanged);
  EXPECT_EQ(Remove("1").outcome, UpdateOutcome::kRemoved);
  EXPECT_EQ(Remove("1").outcome, UpdateOutcome::kUnchanged);
}

TEST_F(QueueUpdateTest, AJobNamedTwiceIsInvalidTheSecondTime) {
  const auto results = Upsert(std::vector<TrackedJob>{Pending("1"), Pending("1"), Pending("2")});
  EXPECT_EQ(results[0].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(results[1].outcome, UpdateOutcome::kInvalid);
  EXPECT_EQ(results[1].field, "job_id");
  EXPECT_EQ(results[2].outcome, UpdateOutcome::kUpserted);
}

TEST_F(QueueUpdateTest, AFaultyJobFailsAlone) {
  TrackedJob faulty = Pending("1");
  faulty.job.violation = "nice: got 9999999999, want -2147483645 to 2147483645";
  const auto results = Upsert(std::vector<TrackedJob>{faulty, Pending("2")});
  EXPECT_EQ(results[0].outcome, UpdateOutcome::kInvalid);
  EXPECT_EQ(results[0].field, "nice");
  EXPECT_EQ(results[1].outcome, UpdateOutcome::kUpserted);
}

TEST_F(QueueUpdateTest, AJobWithoutASubmitTimeKeepsThatOfItsFirstUpsert) {
  TrackedJob job = Pending("1");
  job.job.submit_time.reset();
  Upsert(job);
  job.job.nice = 5;
  Upsert(job, priority::kNow + absl::Hours(3));
  EXPECT_EQ(queue_->Find("1")->job.submit_time, priority::kNow);
}

// --- Accrual ---------------------------------------------------------------------

TEST_F(QueueUpdateTest, AHoldKeepsWhatHasAccrued) {
  TrackedJob job = Pending("1");
  job.job.submit_time = priority::kNow - absl::Hours(10);
  Upsert(job);
  job.job.hold = priority::Hold::kUser;
  Upsert(job, priority::kNow);  // 10 hours have accrued.
  EXPECT_EQ(Reasons()["1"], "JobHeldUser");
  job.job.hold = priority::Hold::kNone;
  Upsert(job, priority::kNow + absl::Hours(5));
  EXPECT_EQ(AccrueTime("1"), priority::kNow - absl::Hours(5));
}

TEST_F(QueueUpdateTest, AnotherHoldOnTopLosesNothing) {
  TrackedJob job = Pending("1");
  Upsert(job);  // Submitted an hour ago.
  job.job.hold = priority::Hold::kUser;
  Upsert(job, priority::kNow + absl::Hours(1));
  job.job.hold = priority::Hold::kAdmin;
  Upsert(job, priority::kNow + absl::Hours(2));
  job.job.hold = priority::Hold::kNone;
  Upsert(job, priority::kNow + absl::Hours(4));
  EXPECT_EQ(AccrueTime("1"), priority::kNow + absl::Hours(2));
}

TEST_F(QueueUpdateTest, ABeginTimeStopsAndContinuesByItself) {
  TrackedJob job = Pending("1");
  job.job.submit_time = priority::kNow - absl::Hours(2);
  Upsert(job);
  job.job.eligible_time = priority::kNow + absl::Hours(3);
  Upsert(job);  // 2 hours have accrued; they count from the begin time on.
  EXPECT_EQ(AccrueTime("1"), priority::kNow + absl::Hours(1));
  EXPECT_EQ(Reasons()["1"], "BeginTime");
  EXPECT_EQ(Reasons(priority::kNow + absl::Hours(3))["1"], "");
  job.job.eligible_time = priority::kNow + absl::Hours(8);
  Upsert(job, priority::kNow + absl::Hours(4));  // One more has.
  EXPECT_EQ(AccrueTime("1"), priority::kNow + absl::Hours(5));
}

TEST_F(QueueUpdateTest, TheFirstAccrueTimeIsTakenAsGivenAndNoLaterOne) {
  TrackedJob job = Pending("1");
  job.job.accrue_time = priority::kNow - absl::Hours(30);
  Upsert(job);
  EXPECT_EQ(AccrueTime("1"), priority::kNow - absl::Hours(30));
  job.job.accrue_time = priority::kNow;
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kUnchanged);
  EXPECT_EQ(AccrueTime("1"), priority::kNow - absl::Hours(30));
}

TEST_F(QueueUpdateTest, AJobThatIsNewAndRunsHasAgedSinceItsSubmissionWhateverItsLimits) {
  TrackedJob job = Pending("1");
  job.job.state = priority::JobState::kRunning;
  job.job.partitions = {"fast"};
  job.job.nodes = 5;  // It has 4.
  Upsert(job, priority::kNow + absl::Hours(3));
  EXPECT_EQ(AccrueTime("1"), job.job.submit_time);
  job.job.state = priority::JobState::kPending;
  Upsert(job, priority::kNow + absl::Hours(5));
  EXPECT_EQ(Reasons()["1"], "PartitionNodeLimit");
  job.job.partitions = {"main"};
  Upsert(job, priority::kNow + absl::Hours(9));
  EXPECT_EQ(AccrueTime("1"), *job.job.submit_time + absl::Hours(4));
}

TEST_F(QueueUpdateTest, AJobThatIsNewAndHeldHasAccruedNothing) {
  TrackedJob job = Pending("1");
  job.job.hold = priority::Hold::kUser;
  Upsert(job);
  job.job.hold = priority::Hold::kNone;
  Upsert(job, priority::kNow + absl::Hours(2));
  EXPECT_EQ(AccrueTime("1"), priority::kNow + absl::Hours(2));
}

TEST_F(QueueUpdateTest, AnotherAccountPartitionOrSizeKeepsTheAge) {
  TrackedJob job = Pending("1");
  Upsert(job);
  const absl::Time before = AccrueTime("1");
  job.job.partitions = {"fast"};
  job.job.nodes = 3;
  job.job.user = "cat";
  job.job.account = "chemistry";
  EXPECT_EQ(Upsert(job, priority::kNow + absl::Hours(2)).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(AccrueTime("1"), before);
}

// --- Submit limits ----------------------------------------------------------------

TEST_F(QueueUpdateTest, MaxSubmitJobsRefusesJobByJob) {
  site_.association("physics").limits.max_submit_jobs = 2;  // Inherited by ann and bob.
  Start();
  TrackedJob of_bob = Pending("4");
  of_bob.job.user = "bob";
  const auto results =
      Upsert(std::vector<TrackedJob>{Pending("1"), Pending("2"), Pending("3"), of_bob});
  EXPECT_EQ(results[1].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(results[2].outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(results[2].reason, "AssocMaxSubmitJobLimit");
  EXPECT_EQ(
      results[2].message,
      "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits): "
      "user ann in account physics: MaxSubmitJobs=2: 2 in the queue + 1 = 3");
  EXPECT_EQ(results[3].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_->state()->jobs(), 3);
}

TEST_F(QueueUpdateTest, AnEndOrARemovalMakesRoom) {
  site_.association("physics", "ann").limits.max_submit_jobs = 1;
  Start();
  Upsert(Pending("1"));
  EXPECT_EQ(Upsert(Pending("2")).outcome, UpdateOutcome::kRefused);
  Upsert(Ended("1", JobEnd::kCompleted));
  EXPECT_EQ(Upsert(Pending("2")).outcome, UpdateOutcome::kUpserted);
  QueueUpdate update(*queue_, priority::kNow);
  update.Remove("2");
  update.Upsert(Pending("3"));
  queue_->Apply(update.Finish());
  EXPECT_EQ(update.results()[1].outcome, UpdateOutcome::kUpserted);
}

TEST_F(QueueUpdateTest, ArrayTasksCountSinglyUnderMaxSubmitJobsPerUser) {
  site_.qos("high").max_submit_jobs_per_user = 10;
  Start();
  TrackedJob array = Pending("1");
  array.job.qos = {"high"};
  array.job.array_tasks = 7;
  EXPECT_EQ(Upsert(array).outcome, UpdateOutcome::kUpserted);
  TrackedJob other = Pending("2");
  other.job.qos = {"high"};
  other.job.array_tasks = 4;
  const UpdateResult refused = Upsert(other);
  EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(refused.reason, "QOSMaxSubmitJobPerUserLimit");
  other.job.array_tasks = 3;
  EXPECT_EQ(Upsert(other).outcome, UpdateOutcome::kUpserted);
}

TEST_F(QueueUpdateTest, GrpSubmitJobsCountsAllBelowTheAccount) {
  site_.association("physics").limits.others = {{priority::LimitKind::kGrpSubmitJobs, "", 2}};
  Start();
  TrackedJob of_bob = Pending("2");
  of_bob.job.user = "bob";
  const auto results = Upsert(std::vector<TrackedJob>{Pending("1"), of_bob, Pending("3")});
  EXPECT_EQ(results[1].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(results[2].reason, "AssocGrpSubmitJobsLimit");
}

TEST_F(QueueUpdateTest, AJobThatAddsNothingIsNotRefused) {
  Upsert(std::vector<TrackedJob>{Pending("1"), Pending("2")});
  site_.association("physics", "ann").limits.max_submit_jobs = 1;
  queue_->SetSnapshot(site_.Build());
  TrackedJob job = Pending("2");
  job.job.nice = 3;
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kUpserted);
}

// --- Dependencies -------------------------------------------------------------------

TEST_F(QueueUpdateTest, AJobWaitsUntilTheOneItDependsOnHasEnded) {
  TrackedJob waits = Pending("2");
  waits.dependency = "afterok:1";
  Upsert(std::vector<TrackedJob>{waits, Pending("1")});
  EXPECT_EQ(Reasons()["2"], "Dependency");
  Upsert(Ended("1", JobEnd::kCompleted), priority::kNow + absl::Hours(2));
  EXPECT_EQ(Reasons()["2"], "");
  EXPECT_EQ(Reasons().count("1"), 0);
  EXPECT_EQ(AccrueTime("2"), priority::kNow + absl::Hours(2));
}

TEST_F(QueueUpdateTest, ARemovedJobEndsAsCancelledForThoseThatWait) {
  TrackedJob any = Pending("2");
  any.dependency = "afterany:1";
  TrackedJob ok = Pending("3");
  ok.dependency = "afterok:1";
  Upsert(std::vector<TrackedJob>{Pending("1"), any, ok});
  EXPECT_EQ(Remove("1").outcome, UpdateOutcome::kRemoved);
  EXPECT_EQ(Reasons()["2"], "");
  EXPECT_EQ(Reasons()["3"], "DependencyNeverSatisfied");
}

TEST_F(QueueUpdateTest, AJobCanDependOnOneThatEndedBeforeItCame) {
  Upsert(Pending("1"));
  Upsert(Ended("1", JobEnd::kFailed));
  TrackedJob waits = Pending("2");
  waits.dependency = "afternotok:1";
  Upsert(waits);
  EXPECT_EQ(Reasons()["2"], "");
}

TEST_F(QueueUpdateTest, EndedJobsAreKeptWhileAJobWaitsForThem) {
  TrackedJob waits = Pending("3");
  waits.dependency = "afterok:1,afterok:2";
  Upsert(std::vector<TrackedJob>{Pending("1"), Pending("2"), Pending("9"), waits});
  Upsert(std::vector<TrackedJob>{Ended("1", JobEnd::kCompleted), Ended("9", JobEnd::kCompleted)});
  QueueUpdate later(*queue_, priority::kNow + absl::Hours(100));
  later.ForgetEnded();
  queue_->Apply(later.Finish());
  EXPECT_FALSE(queue_->Find("9").has_value());
  Upsert(Ended("2", JobEnd::kCompleted), priority::kNow + absl::Hours(200));
  EXPECT_EQ(Reasons()["3"], "");
}

// Slurm keeps the record of a job for MinJobAge, which may be more than the hour that new
// dependencies have.
TEST_F(QueueUpdateTest, AnEndedJobIsKeptForMinJobAge) {
  site_.source.policy.min_job_age = absl::Hours(2);
  Start();
  Upsert(Ended("9", JobEnd::kFailed));
  for (const auto& [age, there] : {std::pair(absl::Minutes(119), true), {absl::Hours(2), false}}) {
    QueueUpdate update(*queue_, priority::kNow + age);
    update.ForgetEnded();
    queue_->Apply(update.Finish());
    EXPECT_EQ(queue_->Find("9").has_value(), there) << age;
  }
}

TEST_F(QueueUpdateTest, AnEndThatIsReportedAgainKeepsTheAccrueTime) {
  Upsert(Pending("9"), priority::kNow - absl::Hours(5));
  Upsert(Ended("9", JobEnd::kCancelled));
  const absl::Time accrue_time = AccrueTime("9");
  Upsert(Ended("9", JobEnd::kFailed), priority::kNow + absl::Minutes(1));
  EXPECT_EQ(queue_->Find("9")->end, JobEnd::kFailed);
  ASSERT_TRUE(queue_->Find("9")->job.accrue_time.has_value()) << "a NOT NULL column";
  EXPECT_EQ(AccrueTime("9"), accrue_time);
}

TEST_F(QueueUpdateTest, AJobThatIsBackInTheQueueHasNoEnd) {
  TrackedJob ended = Ended("9", JobEnd::kFailed);
  ended.exit_code = 1;
  ended.exit_signal = 9;
  ended.end_time = priority::kNow;
  ended.job.node_list = "n1";
  Upsert(ended);
  EXPECT_EQ(queue_->Find("9")->exit_code, 1);
  EXPECT_EQ(queue_->Find("9")->ended_at, priority::kNow);
  Change(Pending("9"), {"state"}, priority::kNow + absl::Hours(1));
  const TrackedJob requeued = *queue_->Find("9");
  EXPECT_FALSE(requeued.ended());
  EXPECT_FALSE(requeued.exit_code.has_value());
  EXPECT_EQ(requeued.exit_signal, 0u);
  EXPECT_FALSE(requeued.end_time.has_value());
  EXPECT_FALSE(requeued.ended_at.has_value());
}

TEST_F(QueueUpdateTest, NoJobEndsBeforeItStarts) {
  TrackedJob ended = Ended("9", JobEnd::kFailed);
  ended.job.start_time = priority::kNow;
  ended.end_time = priority::kNow - absl::Seconds(1);
  const UpdateResult result = Upsert(ended);
  EXPECT_EQ(result.outcome, UpdateOutcome::kInvalid);
  EXPECT_EQ(result.message, "end_time: got a time before start_time, want a later one");
}

// Each looked up for each of the others, they would be more than fits into memory.
TEST_F(QueueUpdateTest, ThirtyThousandJobsOfOneNameAreUpdatedAtOnce) {
  std::deque<std::string> ids;
  std::vector<TrackedJob> jobs;
  for (int i = 0; i < 30'000; ++i) {
    jobs.push_back(Pending(ids.emplace_back(std::to_string(i))));
    jobs.back().name = "run.sh";
  }
  Upsert(jobs);
  for (const UpdateResult& result : Upsert(jobs)) {
    ASSERT_EQ(result.outcome, UpdateOutcome::kUnchanged);
  }
}

TEST_F(QueueUpdateTest, SingletonsOfOneUserAndNameGoOneByOne) {
  const auto singleton = [](absl::string_view id) {
    TrackedJob job = Pending(id);
    job.name = "render";
    job.dependency = "singleton";
    return job;
  };
  Upsert(std::vector<TrackedJob>{singleton("2"), singleton("1")});
  EXPECT_EQ(Reasons()["1"], "");
  EXPECT_EQ(Reasons()["2"], "Dependency");
  TrackedJob running = singleton("1");
  running.job.state = priority::JobState::kRunning;
  Upsert(running);
  EXPECT_EQ(Reasons()["2"], "Dependency");
  running.end = JobEnd::kCompleted;
  Upsert(running);
  EXPECT_EQ(Reasons()["2"], "");
}

TEST_F(QueueUpdateTest, WhatTheFrontendSaysOfADependencyHoldsToo) {
  TrackedJob job = Pending("2");
  job.told_dependency_unmet = true;
  Upsert(job);
  EXPECT_EQ(Reasons()["2"], "Dependency");
  job.told_dependency_unmet = false;
  Upsert(job);
  EXPECT_EQ(Reasons()["2"], "");
}

TEST_F(QueueUpdateTest, AMalformedDependencyIsInvalid) {
  TrackedJob job = Pending("1");
  job.dependency = "afterwards:3";
  const UpdateResult result = Upsert(job);
  EXPECT_EQ(result.outcome, UpdateOutcome::kInvalid);
  EXPECT_EQ(result.field, "dependency");
}

// --- Full sync -----------------------------------------------------------------------

TEST_F(QueueUpdateTest, AFullSyncRemovesWhatItsSourceDoesNotName) {
  TrackedJob foreign = Pending("9");
  foreign.source = "other";
  Upsert(std::vector<TrackedJob>{Pending("1"), Pending("2"), foreign});
  QueueUpdate update(*queue_, priority::kNow);
  update.RemoveOthersOf("test", {"2", "3"});
  update.Upsert(Pending("2"));
  update.Upsert(Pending("3"));
  queue_->Apply(update.Finish());
  EXPECT_FALSE(queue_->Find("1").has_value());
  EXPECT_TRUE(queue_->Find("2").has_value());
  EXPECT_TRUE(queue_->Find("3").has_value());
  EXPECT_TRUE(queue_->Find("9").has_value());
}

TEST_F(QueueUpdateTest, AJobMoreThanTheQueueMayHaveIsRefusedAloneAndARemovalMakesRoom) {
  const QueueRoom room = {{.cluster_jobs = 2, .all_jobs = 100}};
  Upsert({Pending("1"), Ended("2", JobEnd::kCompleted)});
  QueueUpdate update(*queue_, priority::kNow, room);
  TrackedJob known = Pending("1");
  known.job.nice = 5;
  update.Upsert(Pending("3"));
  update.Upsert(known);
  queue_->Apply(update.Finish());
  EXPECT_EQ(update.results()[0].outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(update.results()[0].reason, "MaxJobCount");
  EXPECT_THAT(update.results()[0].message,
              testing::StartsWith("tracked_jobs: got 3 of all callers, want at most 2 "
                                  "(--max_tracked_jobs)"));
  EXPECT_EQ(update.results()[1].outcome, UpdateOutcome::kUpserted);
  QueueUpdate exchange(*queue_, priority::kNow, room);
  exchange.Remove("1");
  exchange.Upsert(Pending("3"));
  exchange.Upsert(Pending("4"));
  queue_->Apply(exchange.Finish());
  EXPECT_EQ(exchange.results()[1].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(exchange.results()[2].outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(queue_->size(), 2);
}

}  // namespace
}  // namespace priorityd::queue
