// Who may add a job to a queue that is filling up.
#include "server/queue/state/queue_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

// A queue for 20 jobs, of which a user may hold 5 and 2 are for services.
class TrackedJobsQuotaTest : public QueueUpdateTest {
 protected:
  TrackedJobsQuotaTest() {
    room_.bounds = {.cluster_jobs = 20, .all_jobs = 100};
    EXPECT_TRUE(room_.bounds.parts.Set("tracked_jobs=5").ok());
  }

  // Upserts jobs `first` to `last` of `user`; answers why the last one was refused. `by`: the
  // user that calls; nullopt = a frontend.
  std::string Refusal(const std::string& user, int first, int last, std::optional<std::string> by) {
    QueueUpdate update(*queue_, priority::kNow, room_, {.user = std::move(by)});
    std::deque<std::string> ids;
    for (int i = first; i <= last; ++i) {
      TrackedJob job = Pending(ids.emplace_back(std::to_string(i)));
      job.job.user = user;
      job.job.submit_time.reset();
      update.Upsert(job);
    }
    queue_->Apply(update.Finish());
    const UpdateResult& result = update.results().back();
    EXPECT_EQ(result.reason, result.message.empty() ? "" : "MaxJobCount");
    return result.message;
  }

  QueueRoom room_;
};

TEST_F(TrackedJobsQuotaTest, AUserWithTheirPartIsRefusedByNameAndOthersAndFrontendsAreServed) {
  EXPECT_EQ(Refusal("ann", 1, 5, "ann"), "");
  EXPECT_THAT(Refusal("ann", 6, 6, "ann"),
              testing::StartsWith("tracked_jobs: got 6 of user:ann, want at most 5 of one caller "
                                  "(--quota=tracked_jobs=N)"));
  EXPECT_EQ(queue_->JobsOf("ann"), 5u);
  EXPECT_EQ(Refusal("cat", 10, 14, "cat"), "");
  EXPECT_EQ(Refusal("ann", 7, 7, std::nullopt), "");
}

TEST_F(TrackedJobsQuotaTest, WhatAFrontendSubmittedCountsForTheUserAndARemovalMakesRoom) {
  EXPECT_EQ(Refusal("ann", 1, 5, std::nullopt), "");
  EXPECT_NE(Refusal("ann", 6, 6, "ann"), "");
  QueueUpdate exchange(*queue_, priority::kNow, room_, {.user = "ann"});
  exchange.Remove("1");
  TrackedJob job = Pending("6");
  job.job.user = "ann";
  job.job.submit_time.reset();
  exchange.Upsert(job);
  exchange.Finish();
  EXPECT_EQ(exchange.results()[1].outcome, UpdateOutcome::kUpserted);
}

TEST_F(TrackedJobsQuotaTest, JobsUnderTheNameOfAMergedUserCountForTheSurvivingOne) {
  const JobRights both = {.user = "ann", .merged_users = {"bob"}};
  const auto submit = [&](absl::string_view id, absl::string_view user, absl::string_view removed) {
    QueueUpdate update(*queue_, priority::kNow, room_, both);
    if (!removed.empty()) update.Remove(removed);
    TrackedJob job = Pending(id);
    job.job.user = user;
    job.job.submit_time.reset();
    update.Upsert(job);
    queue_->Apply(update.Finish());
    return update.results().back().outcome;
  };
  EXPECT_EQ(Refusal("bob", 1, 2, "bob"), "");
  for (const char* id : {"3", "4"}) EXPECT_EQ(submit(id, "bob", ""), UpdateOutcome::kUpserted);
  EXPECT_EQ(submit("5", "ann", ""), UpdateOutcome::kUpserted);
  EXPECT_EQ(submit("6", "bob", ""), UpdateOutcome::kRefused) << "whatever the name";
  EXPECT_EQ(submit("7", "ann", ""), UpdateOutcome::kRefused);
  EXPECT_EQ(submit("8", "ann", "1"), UpdateOutcome::kUpserted) << "in the place of bob's";
  EXPECT_EQ(Refusal("bob", 9, 9, "bob"), "") << "bob's own part";
}

TEST_F(TrackedJobsQuotaTest, UsersOfAllNamesLeaveTheReserveToFrontends) {
  for (const char* user : {"ann", "bob", "cat"}) {
    const int first = 10 * user[0];
    EXPECT_EQ(Refusal(user, first, first + 4, user), "") << user;
  }
  EXPECT_EQ(Refusal("ann", 1, 3, std::nullopt), "");
  const std::string refused = Refusal("dan", 5, 5, "dan");
  EXPECT_THAT(refused, testing::StartsWith("tracked_jobs: got 19 of all callers, want at most 18 "
                                           "beside 2 for services (--max_tracked_jobs)"));
  EXPECT_EQ(Refusal("dan", 6, 7, std::nullopt), "");
}

TEST_F(TrackedJobsQuotaTest, JobsOfAUserAreCountedThroughUpsertsEndsAndRemovals) {
  Upsert({Pending("1"), Pending("2"), Ended("3", JobEnd::kCompleted)});
  const std::string user(queue_->Find("1")->job.user);
  EXPECT_EQ(queue_->JobsOf(user), 3u);
  Upsert(Ended("1", JobEnd::kFailed));
  EXPECT_EQ(queue_->JobsOf(user), 3u);
  Remove("2");
  EXPECT_EQ(queue_->JobsOf(user), 2u);
  EXPECT_EQ(queue_->JobsOf("nobody"), 0u);
}

class MaxJobCountTest : public QueueUpdateTest {};

// slurmctld answers EAGAIN to a submission beyond MaxJobCount; jobs that run are there anyway.
TEST_F(MaxJobCountTest, RefusesPendingJobsBeyondItAndEndedJobsMakeRoom) {
  site_.source.policy.max_job_count = 2;
  Start();
  EXPECT_EQ(Upsert(Pending("1")).outcome, UpdateOutcome::kUpserted);
  TrackedJob runs = Pending("2");
  runs.job.state = priority::JobState::kRunning;
  EXPECT_EQ(Upsert(runs).outcome, UpdateOutcome::kUpserted);
  const UpdateResult refused = Upsert(Pending("3"));
  EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(refused.reason, "MaxJobCount");
  EXPECT_EQ(refused.message,
            "Slurm temporarily unable to accept job: got 3 jobs, want at most 2 (MaxJobCount)");
  TrackedJob also_runs = runs;
  also_runs.job.job_id = "4";
  EXPECT_EQ(Upsert(also_runs).outcome, UpdateOutcome::kUpserted);
  runs.end = also_runs.end = JobEnd::kCompleted;
  Upsert(runs);
  Upsert(also_runs);
  EXPECT_EQ(Upsert(Pending("3")).outcome, UpdateOutcome::kUpserted);
}

TEST_F(MaxJobCountTest, CountsTheJobsOfOneRequest) {
  site_.source.policy.max_job_count = 2;
  Start();
  EXPECT_EQ(Upsert(Pending("1")).outcome, UpdateOutcome::kUpserted);
  QueueUpdate update(*queue_, priority::kNow);
  update.Remove("1");
  for (const char* id : {"2", "3", "4"}) update.Upsert(Pending(id));
  queue_->Apply(update.Finish());
  std::vector<UpdateOutcome> outcomes;
  for (const UpdateResult& result : update.results()) outcomes.push_back(result.outcome);
  EXPECT_THAT(outcomes, testing::ElementsAre(UpdateOutcome::kRemoved, UpdateOutcome::kUpserted,
                                             UpdateOutcome::kUpserted, UpdateOutcome::kRefused));
}

}  // namespace
}  // namespace priorityd::queue
