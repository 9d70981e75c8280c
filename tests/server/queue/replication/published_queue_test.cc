// What readers see of a queue, without a database.
#include "server/queue/replication/published_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

class PublishedQueueTest : public testing::Test {
 protected:
  PublishedQueueTest() { Recalculate(1); }

  void Recalculate(int64_t generation) {
    priority::SmallSite site;
    site.source.generation = generation;
    registry_.Replace(site.Build());
  }
  // A queue of one job, for the newest snapshot.
  std::shared_ptr<const QueueState> Jobs() const {
    TrackedQueue queue(registry_.Find("small").value());
    TrackedJob job;
    job.job = priority::JobOf("1");
    queue.Apply({{JobChange{"1", PackJob(job)}}});
    return queue.state();
  }

  recalculation::SnapshotRegistry registry_{absl::Now};
  std::atomic<int> changes_ = 0;
  PublishedQueue queue_{&registry_, "small", [this] { ++changes_; }};
};

TEST_F(PublishedQueueTest, AQueueThatIsNotLoadedHasNoState) {
  EXPECT_EQ(queue_.state(), nullptr);
  EXPECT_EQ(queue_.Rescale(), nullptr);
  EXPECT_EQ(changes_, 0);
}

TEST_F(PublishedQueueTest, EachNewStateIsAChange) {
  const auto jobs = Jobs();
  queue_.Publish(jobs, {});
  EXPECT_EQ(queue_.state(), jobs);
  EXPECT_EQ(changes_, 1);
  queue_.Publish(jobs, {.plugin = "host:1", .answered_at = {}, .failure = {}});
  EXPECT_EQ(changes_, 1);
  EXPECT_EQ(queue_.site_factors().plugin, "host:1");
  queue_.Clear();
  EXPECT_EQ(changes_, 2);
  EXPECT_EQ(queue_.state(), nullptr);
  EXPECT_EQ(queue_.site_factors().plugin, "");
}

TEST_F(PublishedQueueTest, RescalingKeepsTheJobsAndTakesTheNewestSnapshot) {
  queue_.Publish(Jobs(), {});
  // The generation of a database that lost transactions is an earlier one.
  for (const int64_t generation : {5, 3}) {
    Recalculate(generation);
    const auto rescaled = queue_.Rescale();
    EXPECT_EQ(rescaled, queue_.state());
    EXPECT_EQ(rescaled->snapshot().generation(), generation);
    EXPECT_EQ(rescaled->jobs(), 1u);
  }
  EXPECT_EQ(changes_, 3);
  queue_.Rescale();
  EXPECT_EQ(changes_, 3);
}

TEST_F(PublishedQueueTest, AQueueOfADeletedClusterStaysAsItWas) {
  const auto jobs = Jobs();
  queue_.Publish(jobs, {});
  registry_.Drop("small");
  EXPECT_EQ(queue_.Rescale(), jobs);
}

TEST_F(PublishedQueueTest, OneOfManyReadersRescalesForAll) {
  queue_.Publish(Jobs(), {});
  Recalculate(2);
  std::vector<std::thread> readers;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([this] { EXPECT_EQ(queue_.Rescale()->snapshot().generation(), 2); });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(changes_, 2);
}

}  // namespace
}  // namespace priorityd::queue
