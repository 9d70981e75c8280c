// Which of the jobs of one name decide about singleton, and how many are read for it.
#include "server/queue/state/namesakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

TrackedJob Submitted(absl::string_view id, int minute,
                     priority::JobState state = priority::JobState::kPending) {
  TrackedJob job;
  job.job.job_id = id;
  job.job.submit_time = priority::kNow + absl::Minutes(minute);
  job.job.state = state;
  return job;
}

TEST(NamesakesTest, OneThatWaitsIsReadHoweverManyThereAre) {
  Namesakes namesakes;
  for (int i = 0; i < 20'000; ++i) namesakes.Enter(Submitted(std::to_string(i), -i), true);
  for (const char* id : {"a", "b", "c"}) {
    namesakes.Enter(Submitted(id, 0, priority::JobState::kRunning), true);
  }
  int asked = 0;
  const auto is_changed = [&](absl::string_view id) {
    ++asked;
    return id == "19999" || id == "a";
  };
  const auto find_namesake = [&](absl::string_view) -> std::optional<TrackedJob> {
    return std::nullopt;  // Both have ended.
  };
  const Foremost foremost(namesakes, {}, is_changed, find_namesake);
  EXPECT_THAT(foremost.ids(), testing::UnorderedElementsAre("19998", "b", "c"));
  EXPECT_EQ(asked, 5);
}

TEST(NamesakesTest, OfEqualTimesTheSmallerIdComesFirst) {
  Namesakes namesakes;
  for (const char* id : {"10", "9", "8"}) namesakes.Enter(Submitted(id, 0), true);
  EXPECT_EQ(Foremost(namesakes).ids(), std::vector<std::string>{"8"});
  namesakes.Enter(Submitted("8", 0), false);
  EXPECT_TRUE(Foremost(namesakes).IsAlone(Submitted("9", 0)));
  EXPECT_FALSE(Foremost(namesakes).IsAlone(Submitted("10", 0)));
}

TEST(NamesakesTest, OneThatRunsKeepsBackAllOthersButNotItself) {
  Namesakes namesakes;
  const TrackedJob runs = Submitted("1", 0, priority::JobState::kSuspended);
  namesakes.Enter(runs, true);
  namesakes.Enter(Submitted("2", 5), true);
  const Foremost foremost(namesakes);
  EXPECT_TRUE(foremost.IsAlone(runs));
  EXPECT_FALSE(foremost.IsAlone(Submitted("2", 5)));
}

// Jobs of one user and three names, changed at random, against the definition.
class SingletonPropertyTest : public QueueUpdateTest {
 protected:
  using Model = std::map<std::string, TrackedJob>;

  // As api.md has it: no earlier job of the same user and name is left, and none runs.
  bool IsMet(const TrackedJob& waits) const {
    for (const auto& [id, job] : model_) {
      if (id == waits.job.job_id || job.ended() || job.name != waits.name) continue;
      const bool earlier =
          job.job.submit_time != waits.job.submit_time
              ? job.job.submit_time < waits.job.submit_time
              : std::stoi(std::string(job.job.job_id)) < std::stoi(std::string(waits.job.job_id));
      if (earlier || job.job.state != priority::JobState::kPending) return false;
    }
    return true;
  }

  const std::string& Id(int number) { return *ids_.insert(std::to_string(number)).first; }

  TrackedJob AJob() {
    TrackedJob job = Pending(Id(static_cast<int>(random_() % 30)));
    constexpr const char* kNames[] = {"a", "b", "c"};
    job.name = kNames[random_() % 3];
    job.job.submit_time = priority::kNow - absl::Minutes(static_cast<int>(random_() % 5));
    if (random_() % 3 != 0) job.dependency = "singleton";
    if (random_() % 4 == 0) job.job.state = priority::JobState::kRunning;
    if (random_() % 6 == 0) job.end = JobEnd::kCompleted;
    return job;
  }

  void Step() {
    QueueUpdate update(*queue_, priority::kNow);
    std::set<absl::string_view> named;
    for (uint64_t n = 1 + random_() % 6; n > 0; --n) {
      const TrackedJob job = AJob();
      if (!named.insert(job.job.job_id).second) continue;
      if (random_() % 5 == 0) {
        update.Remove(job.job.job_id);
        model_.erase(std::string(job.job.job_id));
      } else {
        update.Upsert(job);
        model_[std::string(job.job.job_id)] = job;
      }
    }
    queue_->Apply(update.Finish());
  }

  std::set<std::string> ids_;
  Model model_;
  std::mt19937_64 random_{18};
};

TEST_F(SingletonPropertyTest, ASingletonIsMetIfNoOtherRunsAndNoneWaitsBeforeIt) {
  for (int step = 0; step < 1500; ++step) {
    Step();
    for (const auto& [id, job] : model_) {
      if (job.ended() || job.dependency.empty()) continue;
      const std::optional<TrackedJob> tracked = queue_->Find(id);
      ASSERT_TRUE(tracked.has_value()) << id;
      ASSERT_EQ(tracked->job.dependency_unmet, !IsMet(job)) << "step " << step << ", job " << id;
    }
  }
}

TEST_F(QueueUpdateTest, AChangeEvaluatesNoSingletonThatStaysUnmet) {
  std::vector<std::string> ids;
  for (int i = 0; i < 2000; ++i) ids.push_back(std::to_string(5000 - i));
  std::vector<TrackedJob> jobs;
  for (const std::string& id : ids) {
    jobs.push_back(Pending(id));
    jobs.back().name = "render";
    jobs.back().dependency = "singleton";
  }
  Upsert(jobs);
  TrackedJob runs = jobs.back();
  runs.job.state = priority::JobState::kRunning;
  QueueUpdate update(*queue_, priority::kNow);
  update.Upsert(runs);
  int evaluated = 0;
  const auto changes = update.Finish([&] {
    ++evaluated;
    return absl::OkStatus();
  });
  ASSERT_TRUE(changes.ok());
  EXPECT_EQ(evaluated, 2) << "it and the next one";
}

}  // namespace
}  // namespace priorityd::queue
