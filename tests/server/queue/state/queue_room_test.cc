// Who may add a job to a queue that is filling up.
#include "server/queue/state/queue_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/queue/state/job_memory.h"
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
    EXPECT_EQ(result.quota, result.message.substr(0, result.message.find(':')));
    return result.message;
  }

  QueueRoom room_;
};

TEST_F(TrackedJobsQuotaTest, AUserWithTheirPartIsRefusedByNameAndOthersAndFrontendsAreServed) {
  EXPECT_EQ(Refusal("ann", 1, 5, "ann"), "");
  EXPECT_THAT(Refusal("ann", 6, 6, "ann"),
              testing::StartsWith("tracked_jobs: got 6 of user:ann, want at most 5 of one caller "
                                  "(--quota=tracked_jobs=N)"));
  EXPECT_EQ(queue_->HeldBy("ann").jobs, 5u);
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
  EXPECT_EQ(queue_->HeldBy(user).jobs, 3u);
  Upsert(Ended("1", JobEnd::kFailed));
  EXPECT_EQ(queue_->HeldBy(user).jobs, 3u);
  Remove("2");
  EXPECT_EQ(queue_->HeldBy(user).jobs, 2u);
  EXPECT_EQ(queue_->HeldBy("nobody").jobs, 0u);
}

// A user may hold 100,000 bytes of jobs.
class TrackedBytesQuotaTest : public TrackedJobsQuotaTest {
 protected:
  TrackedBytesQuotaTest() {
    room_.bounds.cluster_jobs = 1000;
    EXPECT_TRUE(room_.bounds.parts.Set("tracked_jobs=1000").ok());
    EXPECT_TRUE(room_.bounds.parts.Set("tracked_bytes=100000").ok());
  }

  static std::string AfterJobs(int ids) {
    std::string dependency = "afterany";
    for (int i = 0; i < ids; ++i) absl::StrAppend(&dependency, ":", 1000 + i);
    return dependency;
  }

  // Submits a job of `by`, or of ann by a frontend, that waits for so many.
  UpdateResult Submit(const std::string& id, int ids, std::optional<std::string> by) {
    const std::string dependency = ids == 0 ? "" : AfterJobs(ids);
    TrackedJob job = Pending(id);
    job.job.user = by.has_value() ? absl::string_view(*by) : "ann";
    job.job.submit_time.reset();
    job.dependency = dependency;
    QueueUpdate update(*queue_, priority::kNow, room_, {.user = by});
    update.Upsert(job);
    queue_->Apply(update.Finish());
    return update.results().front();
  }
};

TEST_F(TrackedBytesQuotaTest, AUserWithLongDependenciesIsRefusedAndOthersAndFrontendsAreServed) {
  UpdateResult result;
  int jobs = 0;
  while ((result = Submit(std::to_string(jobs), 100, "ann")).outcome == UpdateOutcome::kUpserted) {
    ASSERT_LT(++jobs, 100);
  }
  EXPECT_EQ(result.outcome, UpdateOutcome::kRefused);
  EXPECT_THAT(result.message, testing::StartsWith("tracked_bytes: got "));
  EXPECT_THAT(result.message, testing::HasSubstr(" of user:ann, want at most 100000 of one caller "
                                                 "(--quota=tracked_bytes=N); remove jobs"));
  EXPECT_GT(jobs, 2);
  EXPECT_LE(queue_->HeldBy("ann").bytes, 100'000u);
  EXPECT_EQ(Submit("901", 100, "cat").outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(Submit("902", 100, std::nullopt).outcome, UpdateOutcome::kUpserted);
}

TEST_F(TrackedBytesQuotaTest, AJobAboveItMayTakeLessButNoMore) {
  for (int i = 0; i < 6; ++i) Submit(std::to_string(i), 100, std::nullopt);
  EXPECT_GT(queue_->HeldBy("ann").bytes, 100'000u);
  EXPECT_EQ(Submit("0", 101, "ann").outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(Submit("0", 50, "ann").outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(Submit("6", 0, "ann").outcome, UpdateOutcome::kRefused);
  for (const char* id : {"1", "2"}) {
    EXPECT_EQ(Submit(id, 0, "ann").outcome, UpdateOutcome::kUpserted);
  }
  EXPECT_EQ(Submit("6", 0, "ann").outcome, UpdateOutcome::kUpserted);
}

TEST_F(TrackedBytesQuotaTest, JobsOfOneRequestAreCountedTogether) {
  const std::string dependency = AfterJobs(300);
  QueueUpdate update(*queue_, priority::kNow, room_, {.user = "ann"});
  for (const char* id : {"1", "2"}) {
    TrackedJob job = Pending(id);
    job.job.submit_time.reset();
    job.dependency = dependency;
    update.Upsert(job);
  }
  queue_->Apply(update.Finish());
  EXPECT_EQ(update.results()[0].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(update.results()[1].outcome, UpdateOutcome::kRefused);
}

TEST_F(TrackedBytesQuotaTest, BytesAreThoseOfTheJobsThatAreLeft) {
  Submit("1", 10, "ann");
  Submit("2", 20, "ann");
  Submit("1", 30, "ann");
  Submit("3", 5, "cat");
  size_t bytes = 0;
  queue_->ForEach([&](const TrackedJob& job) { bytes += MemoryOf(job); });
  EXPECT_EQ(queue_->held().bytes, bytes);
  for (const char* id : {"1", "2", "3"}) Remove(id);
  EXPECT_EQ(queue_->held().bytes, 0u);
  EXPECT_EQ(queue_->HeldBy("ann").bytes, 0u);
}

TEST(JobMemoryTest, EachTextOfAJobAndEachIdOfItsDependencyIsCounted) {
  const std::string text(1000, 'x');
  TrackedJob job;
  job.job.job_id = "1";
  const size_t least = MemoryOf(job);
  const auto grown = [&](auto set) {
    TrackedJob larger = job;
    set(larger);
    return MemoryOf(larger) - least;
  };
  EXPECT_GE(grown([&](TrackedJob& j) { j.array_task_ids = text; }), 1000u);
  EXPECT_GE(grown([&](TrackedJob& j) { j.job.node_list = text; }), 1000u);
  EXPECT_GE(grown([&](TrackedJob& j) { j.job.reservation = text; }), 1000u);
  EXPECT_GE(grown([&](TrackedJob& j) { j.job.tres = {{text, 1}, {text, 2}}; }), 2000u);
  EXPECT_GE(grown([&](TrackedJob& j) { j.name = text; }), 2000u) << "also a key";
  EXPECT_GE(grown([&](TrackedJob& j) { j.job.partitions = {"a", "b"}; }), 100u) << "two rows";
  // As measured of 10,000 ids, 98 bytes for the entry of an id beside the texts.
  EXPECT_GE(grown([](TrackedJob& j) { j.dependency = "afterok:1:2:3:4"; }), 4u * 98u);
  job.job.job_id = text;
  EXPECT_GE(MemoryOf(job), 1000u);
  EXPECT_GE(grown([](TrackedJob& j) { j.dependency = "afterok:1:2:3:4"; }), 4'000u)
      << "an entry repeats the job's own id";
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
  EXPECT_EQ(refused.quota, "") << "the policy's, which no quota counts";
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
