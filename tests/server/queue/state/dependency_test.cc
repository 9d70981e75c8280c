#include "server/queue/state/dependency.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::queue {
namespace {

using Jobs = std::map<std::string, TrackedJob>;

TrackedJob Job(priority::JobState state, JobEnd end = JobEnd::kNone) {
  TrackedJob job;
  job.job.state = state;
  job.end = end;
  return job;
}

const Jobs& SomeJobs() {
  static const Jobs& jobs = *new Jobs{
      {"pending", Job(priority::JobState::kPending)},
      {"running", Job(priority::JobState::kRunning)},
      {"good", Job(priority::JobState::kRunning, JobEnd::kCompleted)},
      {"bad", Job(priority::JobState::kRunning, JobEnd::kFailed)},
      {"cancelled", Job(priority::JobState::kPending, JobEnd::kCancelled)},
  };
  return jobs;
}

const absl::Time kDependencyNow = absl::FromUnixSeconds(1800000000);

// A queue of these jobs.
class SomeQueue : public DependencyJobs {
 public:
  SomeQueue(const Jobs& jobs, bool alone) : jobs_(jobs), alone_(alone) {}

  std::optional<TrackedJob> Find(absl::string_view id) override {
    ++jobs_read_;
    const auto found = jobs_.find(std::string(id));
    if (found == jobs_.end()) return std::nullopt;
    return found->second;
  }
  void ForEachTask(absl::string_view array_job_id,
                   absl::FunctionRef<void(const TrackedJob&)> visit) override {
    bool has_tasks = false;
    for (const auto& [id, job] : jobs_) {
      if (job.array_job_id != array_job_id) continue;
      has_tasks = true;
      visit(job);
    }
    arrays_read_ += has_tasks;
  }
  bool IsAlone(const TrackedJob&) override { return alone_; }
  int jobs_read() const { return jobs_read_; }
  int arrays_read() const { return arrays_read_; }

 private:
  int jobs_read_ = 0;
  int arrays_read_ = 0;
  const Jobs& jobs_;
  const bool alone_;
};

Standing StandingOf(absl::string_view expression, const Jobs& jobs, const TrackedJob& waits = {}) {
  SomeQueue queue(jobs, false);
  JobProgress progress(queue);
  return Evaluate(ParseDependency(expression).value(), waits, kDependencyNow, progress);
}

DependencyState StateOf(absl::string_view expression, bool alone = false) {
  SomeQueue queue(SomeJobs(), alone);
  JobProgress progress(queue);
  return Evaluate(ParseDependency(expression).value(), {}, kDependencyNow, progress).state;
}

TEST(Dependency, AfterIsMetByAStartOrAnEnd) {
  EXPECT_EQ(StateOf("after:pending"), DependencyState::kUnmet);
  EXPECT_EQ(StateOf("after:running"), DependencyState::kMet);
  EXPECT_EQ(StateOf("after:cancelled"), DependencyState::kMet);
}

TEST(Dependency, TheWayOfTheEndDecides) {
  EXPECT_EQ(StateOf("afterany:running"), DependencyState::kUnmet);
  EXPECT_EQ(StateOf("afterany:good:bad:cancelled"), DependencyState::kMet);
  EXPECT_EQ(StateOf("afterok:good"), DependencyState::kMet);
  EXPECT_EQ(StateOf("afterok:running"), DependencyState::kUnmet);
  EXPECT_EQ(StateOf("afterok:bad"), DependencyState::kNever);
  EXPECT_EQ(StateOf("afternotok:bad"), DependencyState::kMet);
  EXPECT_EQ(StateOf("afternotok:good"), DependencyState::kNever);
}

TEST(Dependency, AnUnknownJobIsWaitedFor) {
  EXPECT_EQ(StateOf("afterany:nobody"), DependencyState::kUnmet);
}

TEST(Dependency, CommasWantAllAndQuestionMarksOne) {
  EXPECT_EQ(StateOf("afterok:good,after:pending"), DependencyState::kUnmet);
  EXPECT_EQ(StateOf("afterok:good,after:running"), DependencyState::kMet);
  EXPECT_EQ(StateOf("afterok:bad,after:running"), DependencyState::kNever);
  EXPECT_EQ(StateOf("afterok:bad?after:running"), DependencyState::kMet);
  EXPECT_EQ(StateOf("afterok:bad?after:pending"), DependencyState::kUnmet);
  EXPECT_EQ(StateOf("afterok:bad?afternotok:good"), DependencyState::kNever);
}

std::string UnmetOf(absl::string_view expression, const Jobs& jobs = SomeJobs()) {
  SomeQueue queue(jobs, false);
  TrackedJob waits;
  waits.dependency = expression;
  JobProgress progress(queue);
  return Resolve(waits, kDependencyNow, progress).text;
}

// squeue(1): "Once a dependency is satisfied, it is removed from the job." The forms are those of
// tests/slurm/captured/scontrol_show.txt.
TEST(Dependency, WhatIsMetLeavesTheTextOfWhatIsUnmet) {
  EXPECT_EQ(UnmetOf("afterany:good:pending,afterok:running"),
            "afterany:pending(unfulfilled),afterok:running(unfulfilled)");
  EXPECT_EQ(UnmetOf("afterany:good"), "");
  EXPECT_EQ(UnmetOf("afterok:bad"), "afterok:bad(failed)");
  EXPECT_EQ(UnmetOf("afterok:bad?afterany:pending"),
            "afterok:bad(failed)?afterany:pending(unfulfilled)");
  EXPECT_EQ(UnmetOf("afterok:good?afterany:pending"), "") << "one of them suffices";
  EXPECT_EQ(UnmetOf("after:pending+90"), "after:pending+90(unfulfilled)");
  EXPECT_EQ(UnmetOf("singleton"), "singleton(unfulfilled)");
  Jobs started = SomeJobs();
  started["running"].job.start_time = kDependencyNow - absl::Minutes(5);
  EXPECT_EQ(UnmetOf("after:running+4", started), "");
  EXPECT_EQ(UnmetOf("after:running+6", started), "after:running+6(unfulfilled)");
  Jobs array = SomeJobs();
  array["19"] = array["pending"];
  array["19"].array_task_ids = "1-3";
  EXPECT_EQ(UnmetOf("afterok:19", array), "afterok:19_*(unfulfilled)");
}

TEST(Dependency, SingletonAsksWhetherTheJobIsAlone) {
  EXPECT_EQ(StateOf("singleton", true), DependencyState::kMet);
  EXPECT_EQ(StateOf("singleton", false), DependencyState::kUnmet);
}

TEST(Dependency, AnIdAfterACommaHasTheTypeBeforeIt) {
  const auto dependency = ParseDependency("afterany:13201,13202,afterok:7");
  ASSERT_TRUE(dependency.ok()) << dependency.status();
  ASSERT_EQ(dependency->terms.size(), 2u);
  EXPECT_EQ(dependency->terms[0].type, DependencyType::kAfterAny);
  EXPECT_EQ(dependency->terms[0].job_ids, (std::vector<absl::string_view>{"13201", "13202"}));
  EXPECT_EQ(dependency->terms[1].job_ids, std::vector<absl::string_view>{"7"});
}

TEST(Dependency, MinutesCountFromTheLastStart) {
  Jobs jobs = {{"1", Job(priority::JobState::kRunning)}, {"2", Job(priority::JobState::kRunning)}};
  jobs["1"].job.start_time = kDependencyNow - absl::Minutes(5);
  jobs["2"].job.start_time = kDependencyNow - absl::Minutes(1);
  const Standing both = StandingOf("after:1+10:2+10", jobs);
  EXPECT_EQ(both.state, DependencyState::kMet);
  EXPECT_EQ(both.since, kDependencyNow + absl::Minutes(9));
  EXPECT_EQ(StandingOf("after:1+10?after:2+10", jobs).since, kDependencyNow + absl::Minutes(5));
  EXPECT_EQ(StandingOf("after:1", jobs).since, absl::InfinitePast());
  EXPECT_EQ(StandingOf("after:1+10,after:3", jobs).state, DependencyState::kUnmet);
}

TEST(Dependency, AStartWithoutATimeCountsFromItsReport) {
  const Jobs jobs = {{"1", Job(priority::JobState::kRunning)}};
  EXPECT_EQ(StandingOf("after:1+10", jobs).since, kDependencyNow + absl::Minutes(10));
  TrackedJob waits;
  waits.job.dependency_until = kDependencyNow + absl::Minutes(3);
  EXPECT_EQ(StandingOf("after:1+10", jobs, waits).since, kDependencyNow + absl::Minutes(3));
}

TrackedJob Task(absl::string_view array, uint32_t number, JobEnd end = JobEnd::kNone) {
  TrackedJob task = Job(priority::JobState::kRunning, end);
  task.array_job_id = array;
  task.array_task_id = number;
  return task;
}

// Tasks 1 and 2 of array 9 have ended, well and badly; 3 runs; 4 and 5 are pending.
Jobs AnArray() {
  Jobs jobs = {{"91", Task("9", 1, JobEnd::kCompleted)},
               {"92", Task("9", 2, JobEnd::kFailed)},
               {"93", Task("9", 3)},
               {"9", Job(priority::JobState::kPending)}};
  jobs["9"].array_task_ids = "4-5%2";
  return jobs;
}

TEST(Dependency, AnArrayHasEndedWhenAllItsTasksHave) {
  Jobs jobs = AnArray();
  EXPECT_EQ(StandingOf("afterany:9", jobs).state, DependencyState::kUnmet);
  EXPECT_EQ(StandingOf("afterok:9_*", jobs).state, DependencyState::kUnmet);
  jobs["93"].end = JobEnd::kCompleted;
  EXPECT_EQ(StandingOf("afterany:9", jobs).state, DependencyState::kUnmet);
  jobs["9"].end = JobEnd::kCompleted;
  EXPECT_EQ(StandingOf("afterany:9", jobs).state, DependencyState::kMet);
  EXPECT_EQ(StandingOf("afterok:9", jobs).state, DependencyState::kNever);
  EXPECT_EQ(StandingOf("afternotok:9", jobs).state, DependencyState::kMet);
  jobs["92"].end = JobEnd::kCompleted;
  EXPECT_EQ(StandingOf("afterok:9", jobs).state, DependencyState::kMet);
}

TEST(Dependency, ATaskIsNamedByItsArrayAndItsNumber) {
  const Jobs jobs = AnArray();
  EXPECT_EQ(StandingOf("afterok:9_1", jobs).state, DependencyState::kMet);
  EXPECT_EQ(StandingOf("afterok:9_2", jobs).state, DependencyState::kNever);
  EXPECT_EQ(StandingOf("afterok:9_3", jobs).state, DependencyState::kUnmet);
  EXPECT_EQ(StandingOf("after:9_3", jobs).state, DependencyState::kMet);
  EXPECT_EQ(StandingOf("after:9_4", jobs).state, DependencyState::kUnmet);
  EXPECT_EQ(StandingOf("after:9_6", jobs).state, DependencyState::kUnmet) << "nobody knows it";
}

TEST(Dependency, AnArrayIsReadOnceForAllItsTasks) {
  const Jobs jobs = AnArray();
  SomeQueue queue(jobs, false);
  JobProgress progress(queue);
  const std::string expression = "after:9_1:9_2:9_3,afterany:9_1:9_2";
  EXPECT_EQ(Evaluate(ParseDependency(expression).value(), {}, kDependencyNow, progress).state,
            DependencyState::kMet);
  EXPECT_EQ(queue.arrays_read(), 1);
}

TEST(Dependency, AJobIsReadOnceHoweverManyWaitForIt) {
  Jobs jobs;
  std::string expression = "afterok";
  for (int i = 0; i < 100; ++i) {
    const std::string id = absl::StrCat(i);
    jobs[id] = Job(priority::JobState::kRunning);
    absl::StrAppend(&expression, ":", id);
  }
  SomeQueue queue(jobs, false);
  JobProgress progress(queue);
  TrackedJob waits;
  waits.dependency = expression;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Resolve(waits, kDependencyNow, progress).unmet);
  EXPECT_EQ(queue.jobs_read(), 100);
}

TEST(Dependency, ProgressOfManyIdsTakesNoMoreMemoryThanItsBound) {
  SomeQueue queue(SomeJobs(), false);
  JobProgress progress(queue);
  std::vector<std::string> ids;
  for (size_t i = 0; i <= JobProgress::kMostIds; ++i) ids.push_back(absl::StrCat(i));
  for (const std::string& id : ids) progress.Of(id);
  const int read = queue.jobs_read();
  progress.Of(ids.back());
  EXPECT_EQ(queue.jobs_read(), read);
  progress.Of(ids.front());
  EXPECT_EQ(queue.jobs_read(), read + 1) << "forgotten";
  EXPECT_TRUE(progress.Of("good").progress.ended_well);
}

TEST(Dependency, JobIdsOfAllTermsAreCounted) {
  EXPECT_EQ(CountJobIds(ParseDependency("afterok:1:2,3,after:1+5,singleton").value()), 4u);
}

// More arrays than an evaluation keeps.
TEST(Dependency, TasksOfManyArraysAreFound) {
  std::vector<std::string> arrays;
  for (int array = 1; array <= 200; ++array) arrays.push_back(absl::StrCat(array));
  Jobs jobs;
  std::string expression = "afterok";
  for (int round = 0; round < 2; ++round) {
    for (const std::string& id : arrays) {
      jobs[absl::StrCat(id, "-1")] = Task(id, 1, JobEnd::kCompleted);
      absl::StrAppend(&expression, ":", id, "_1");
    }
  }
  EXPECT_EQ(StandingOf(expression, jobs).state, DependencyState::kMet);
  jobs["200-1"].end = JobEnd::kFailed;
  EXPECT_EQ(StandingOf(expression, jobs).state, DependencyState::kNever);
}

TEST(Dependency, AftercorrPairsTasksOfTheSameNumber) {
  Jobs jobs = AnArray();
  const auto of_task = [&](uint32_t number) {
    return StandingOf("aftercorr:9", jobs, Task("10", number)).state;
  };
  EXPECT_EQ(of_task(1), DependencyState::kMet);
  EXPECT_EQ(of_task(2), DependencyState::kNever);
  EXPECT_EQ(of_task(3), DependencyState::kUnmet);
  EXPECT_EQ(of_task(4), DependencyState::kUnmet);
  TrackedJob whole = Job(priority::JobState::kPending);
  whole.array_task_ids = "1-5";
  jobs["93"].end = jobs["9"].end = JobEnd::kCompleted;
  EXPECT_EQ(StandingOf("aftercorr:9", jobs, whole).state, DependencyState::kUnmet)
      << "some of its tasks can still begin";
  jobs["92"].end = JobEnd::kCompleted;
  EXPECT_EQ(StandingOf("aftercorr:9", jobs, whole).state, DependencyState::kMet);
  EXPECT_EQ(StateOf("aftercorr:bad"), DependencyState::kNever) << "no array: as afterok";
}

TEST(Dependency, WhatIsNotOursIsRefusedByName) {
  for (const char* name : {"afterburstbuffer", "expand"}) {
    const auto parsed = ParseDependency(std::string(name) + ":7");
    ASSERT_FALSE(parsed.ok());
    EXPECT_NE(parsed.status().message().find(std::string("none of type ") + name),
              absl::string_view::npos)
        << parsed.status();
  }
}

TEST(Dependency, IdsThatNameAJobAreThoseThatDependenciesHearOf) {
  TrackedJob task = Task("9", 4);
  task.job.job_id = "94";
  EXPECT_EQ(IdsThatName(task), (std::vector<std::string>{"94", "9", "9_4"}));
  EXPECT_EQ(IdsToHearOf("9_4"), (std::vector<absl::string_view>{"9_4", "9"}));
  EXPECT_EQ(IdsToHearOf("build_x"), std::vector<absl::string_view>{"build_x"});
}

// As a real slurmctld took `--dependency=3`.
TEST(Dependency, AJobWithoutATypeAtTheBeginningIsAfterAny) {
  const auto parsed = ParseDependency("3,4_1");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->terms.size(), 1u);
  EXPECT_EQ(parsed->terms[0].type, DependencyType::kAfterAny);
  EXPECT_EQ(parsed->terms[0].job_ids, (std::vector<absl::string_view>{"3", "4_1"}));
}

TEST(Dependency, MalformedExpressionsSayWhatIsWanted) {
  for (const char* expression :
       {"", "afterok", "afterok:", "afterok:1::2", "before:1", "afterok:1,after:2?after:3",
        "singleton:1", "after:1,", "afterany:1,singelton", "afterok:1,before:2", "singleton,7",
        "afterok:1?2", "after:1+", "after:1+x", "after:+5"}) {
    const auto parsed = ParseDependency(expression);
    ASSERT_FALSE(parsed.ok()) << expression;
    EXPECT_NE(parsed.status().message().find("want "), absl::string_view::npos);
  }
  EXPECT_NE(ParseDependency("afterok:1+30").status().message().find("delay"),
            absl::string_view::npos);
}

}  // namespace
}  // namespace priorityd::queue
