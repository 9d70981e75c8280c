// Whose a tracked job is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

class JobSourceTest : public testing::Test {
 protected:
  JobSourceTest() : queue_(site_.Build()) {}

  static TrackedJob Pending(absl::string_view job_id) {
    TrackedJob job;
    job.job = priority::JobOf(job_id);
    job.source = "test";
    return job;
  }
  UpdateResult Upsert(const TrackedJob& job) {
    QueueUpdate update(queue_, priority::kNow);
    update.Upsert(job);
    queue_.Apply(update.Finish());
    return update.results().front();
  }
  UpdateResult Remove(absl::string_view job_id, absl::string_view source = "") {
    QueueUpdate update(queue_, priority::kNow);
    update.Remove(job_id, source);
    queue_.Apply(update.Finish());
    return update.results().front();
  }

  priority::SmallSite site_;
  TrackedQueue queue_;
};

TEST_F(JobSourceTest, AJobIsNeitherChangedNorRemovedByAnotherSource) {
  Upsert(Pending("9"));
  TrackedJob taken = Pending("9");
  taken.source = "other";
  taken.job.nice = 5;
  const UpdateResult refused = Upsert(taken);
  EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(refused.reason, "OtherSource");
  EXPECT_EQ(refused.message, "source: got other, want test, the source that owns the job");
  EXPECT_EQ(queue_.Find("9")->source, "test");
  EXPECT_EQ(queue_.Find("9")->job.nice, 0);
  EXPECT_EQ(Remove("9", "other").reason, "OtherSource");
  EXPECT_TRUE(queue_.Find("9").has_value());
}

TEST_F(JobSourceTest, ARequestWithoutSourceChangesAnyJobAndLeavesItItsSource) {
  Upsert(Pending("9"));
  TrackedJob changed = Pending("9");
  changed.source = "";
  changed.job.nice = 5;
  EXPECT_EQ(Upsert(changed).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_.Find("9")->source, "test");
  EXPECT_EQ(queue_.Find("9")->job.nice, 5);
  EXPECT_EQ(Remove("9").outcome, UpdateOutcome::kRemoved);
}

TEST_F(JobSourceTest, AnIdWhoseJobHasEndedIsFreeForAnySource) {
  TrackedJob ended = Pending("9");
  ended.end = JobEnd::kCompleted;
  Upsert(ended);
  TrackedJob next = Pending("9");
  next.source = "other";
  EXPECT_EQ(Upsert(next).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_.Find("9")->source, "other");
}

}  // namespace
}  // namespace priorityd::queue
