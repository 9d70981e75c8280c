// What a job waits for, in words.
#include "server/queue/state/dependency_text.h"

#include <gtest/gtest.h>

#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

TEST(DependencyTextTest, EachJobThatIsWaitedForIsNamedWithWhatItDoes) {
  priority::SmallSite site;
  TrackedQueue queue(site.Build());
  QueueUpdate update(queue, priority::kNow);
  TrackedJob running;
  running.job = priority::JobOf("1");
  running.job.state = priority::JobState::kRunning;
  update.Upsert(running);
  TrackedJob waits;
  waits.job = priority::JobOf("3");
  waits.dependency = "afterok:1,after:2+10";
  update.Upsert(waits);
  queue.Apply(update.Finish());
  EXPECT_EQ(DependencySentences(*queue.state(), *queue.Find("3")),
            (std::vector<std::string>{
                "It waits for a successful end of job 1 (afterok), which is running.",
                "It waits for 10 minutes after the start of job 2 (after), which is not in the "
                "queue."}));
  EXPECT_TRUE(DependencySentences(*queue.state(), *queue.Find("1")).empty());
}

TEST(DependencyTextTest, WhatCannotComeAnyMoreIsToldSo) {
  TrackedJob job;
  job.dependency = "afterok:1";
  job.job.dependency_unmet = true;
  EXPECT_EQ(DependencyText(job), "waits for afterok:1");
  job.job.dependency_never = true;
  EXPECT_EQ(DependencyText(job), "waits for afterok:1, which can no longer be met");
}

}  // namespace
}  // namespace priorityd::queue
