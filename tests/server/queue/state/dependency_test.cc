#include "server/queue/state/dependency.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

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

DependencyState StateOf(absl::string_view expression, bool alone = false) {
  const auto find = [](absl::string_view id) -> std::optional<TrackedJob> {
    const auto found = SomeJobs().find(std::string(id));
    if (found == SomeJobs().end()) return std::nullopt;
    return found->second;
  };
  return Evaluate(ParseDependency(expression).value(), find, [alone] { return alone; });
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

TEST(Dependency, SingletonAsksWhetherTheJobIsAlone) {
  EXPECT_EQ(StateOf("singleton", true), DependencyState::kMet);
  EXPECT_EQ(StateOf("singleton", false), DependencyState::kUnmet);
}

TEST(Dependency, MalformedExpressionsSayWhatIsWanted) {
  for (const char* expression : {"", "afterok", "afterok:", "afterok:1::2", "before:1", "1",
                                 "afterok:1,after:2?after:3", "singleton:1", "after:1,"}) {
    const auto parsed = ParseDependency(expression);
    ASSERT_FALSE(parsed.ok()) << expression;
    EXPECT_NE(parsed.status().message().find("want "), absl::string_view::npos);
  }
  EXPECT_NE(ParseDependency("after:1+30").status().message().find("delay"),
            absl::string_view::npos);
}

}  // namespace
}  // namespace priorityd::queue
