// What a job waits for, in words.
#include "server/queue/state/dependency_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(DependencyTextTest, AJobIsLookedUpOnceHoweverOftenItIsNamed) {
  priority::SmallSite site;
  TrackedQueue queue(site.Build());
  QueueUpdate update(queue, priority::kNow);
  TrackedJob pending;
  pending.job = priority::JobOf("1");
  update.Upsert(pending);
  TrackedJob waits;
  waits.job = priority::JobOf("3");
  waits.dependency = "afterok:1:1:2:1,after:1";
  update.Upsert(waits);
  queue.Apply(update.Finish());
  int asked = 0;
  const JobFilter shown = [&](const priority::Job&) { return ++asked > 0; };
  const std::vector<std::string> sentences =
      DependencySentences(*queue.state(), *queue.Find("3"), shown);
  ASSERT_EQ(sentences.size(), 5u);
  EXPECT_EQ(sentences[0], sentences[3]);
  EXPECT_EQ(sentences[2],
            "It waits for a successful end of job 2 (afterok), which is not in the queue.");
  EXPECT_EQ(asked, 1);
}

TEST(DependencyTextTest, ADependencyThatCannotBeMetIsDescribedSo) {
  TrackedJob job;
  job.dependency = "afterok:1";
  job.job.dependency_unmet = true;
  EXPECT_EQ(DependencyText(job), "waits for afterok:1");
  job.job.dependency_never = true;
  EXPECT_EQ(DependencyText(job), "waits for afterok:1, which can no longer be met");
}

}  // namespace
}  // namespace priorityd::queue
