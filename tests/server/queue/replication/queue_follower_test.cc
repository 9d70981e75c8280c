// When a replica reads what others changed.
#include "server/queue/replication/queue_follower.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "tests/server/queue/replication/stored_queue.h"

namespace priorityd::queue {
namespace {

using Ids = std::vector<std::string>;

class QueueFollowerTest : public testing::Test {
 protected:
  // Waits until the replica knows these jobs.
  bool AwaitKnown(const Ids& ids) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (JobIds(**there_.queues().State("small")) != ids) {
      if (absl::Now() > deadline) return false;
      absl::SleepFor(absl::Milliseconds(5));
    }
    return true;
  }
  threads::Clock Clock() const {
    return [this] { return absl::FromUnixSeconds(now_seconds_); };
  }

  std::atomic<int64_t> now_seconds_ = 1'000'000;
  StoredQueue here_;
  StoredQueue there_{here_.database_url()};
};

TEST_F(QueueFollowerTest, ReadsWhenItStarts) {
  ASSERT_TRUE(AwaitKnown({}));
  here_.Upsert({"1"});
  QueueFollower follower(&there_.queues(), Clock());
  follower.Start();
  EXPECT_TRUE(AwaitKnown({"1"}));
}

TEST_F(QueueFollowerTest, ReadsWhenItIsWokenAndOnceAPeriodOfTheClock) {
  QueueFollower follower(&there_.queues(), Clock(), absl::Seconds(10));
  follower.Start();
  here_.Upsert({"1"});
  follower.Wake();
  ASSERT_TRUE(AwaitKnown({"1"}));
  here_.Upsert({"2"});
  now_seconds_ += 10;
  follower.CheckClock();
  EXPECT_TRUE(AwaitKnown({"1", "2"}));
}

TEST_F(QueueFollowerTest, ReadsNoMoreOnceItIsStopped) {
  QueueFollower follower(&there_.queues(), absl::Now, absl::Milliseconds(1));
  follower.Start();
  here_.Upsert({"1"});
  ASSERT_TRUE(AwaitKnown({"1"}));
  follower.Stop();
  here_.Upsert({"2"});
  follower.Wake();
  EXPECT_EQ(JobIds(**there_.queues().State("small")), Ids{"1"});
}

}  // namespace
}  // namespace priorityd::queue
