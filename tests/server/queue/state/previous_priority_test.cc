#include "server/queue/state/previous_priority.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

// Priorities are 1000 times the partition's factor.
class PreviousPriorityTest : public testing::Test {
 protected:
  PreviousPriorityTest() {
    site_.source.policy.incr_only = true;
    site_.source.policy.weight_partition = 1000;
    site_.source.policy.no_normal_part = true;
  }

  void Track(const std::string& job_id, std::vector<absl::string_view> partitions) {
    TrackedJob job;
    job.job = priority::JobOf(job_id);
    job.job.partitions.assign(partitions.begin(), partitions.end());
    queue_->Apply({{{job_id, PackJob(job)}}});
  }

  // Returns how many jobs it changed.
  size_t Recalculate(uint32_t main, uint32_t fast) {
    site_.partition("main").priority_job_factor = main;
    site_.partition("fast").priority_job_factor = fast;
    SetSnapshot();
    const std::vector<JobChange> changes =
        RaisePreviousPriorities(*queue_->state(), priority::kNow);
    queue_->Apply(changes);
    return changes.size();
  }

  void SetSnapshot() {
    const std::shared_ptr<const priority::Snapshot> snapshot = site_.Build();
    if (queue_ == nullptr) queue_ = std::make_unique<TrackedQueue>(snapshot);
    queue_->SetSnapshot(snapshot);
  }

  // `job_id@partition`.
  std::map<std::string, uint32_t> Priorities() const {
    const QueueRanking ranking = Rank(queue_->state(), priority::Now(), 0);
    std::map<std::string, uint32_t> priorities;
    for (const priority::RankedRow& row : ranking.ranking.ranked) {
      const auto& partition = ranking.state->snapshot().partitions()[row.partition];
      priorities[absl::StrCat(ranking.jobs[row.job].job_id, "@", partition.name)] = *row.priority;
    }
    return priorities;
  }

  using Expected = std::map<std::string, uint32_t>;

  priority::SmallSite site_;
  std::unique_ptr<TrackedQueue> queue_;
};

TEST_F(PreviousPriorityTest, EachPairKeepsWhatItHad) {
  SetSnapshot();
  Track("1", {"main", "fast"});
  EXPECT_EQ(Recalculate(2, 7), 1);
  EXPECT_EQ(Recalculate(1, 1), 0);
  EXPECT_EQ(Priorities(), (Expected{{"1@main", 2000}, {"1@fast", 7000}}));
  EXPECT_EQ(queue_->Find("1")->job.previous_priority, 2000);
}

TEST_F(PreviousPriorityTest, APairThatFellKeepsItsOwnWhileAnotherRises) {
  SetSnapshot();
  Track("1", {"main", "fast"});
  Recalculate(2, 7);
  EXPECT_EQ(Recalculate(9, 1), 1);
  EXPECT_EQ(Recalculate(1, 1), 0);
  EXPECT_EQ(Priorities(), (Expected{{"1@main", 9000}, {"1@fast", 7000}}));
}

TEST_F(PreviousPriorityTest, OnlyJobsThatRoseChange) {
  SetSnapshot();
  Track("1", {"main"});
  Track("2", {"fast"});
  EXPECT_EQ(Recalculate(2, 2), 2);
  EXPECT_EQ(Recalculate(2, 3), 1);
  EXPECT_EQ(Recalculate(2, 3), 0);
  EXPECT_EQ(Priorities(), (Expected{{"1@main", 2000}, {"2@fast", 3000}}));
}

TEST_F(PreviousPriorityTest, WithoutTheFlagNothingChanges) {
  site_.source.policy.incr_only = false;
  SetSnapshot();
  Track("1", {"main", "fast"});
  EXPECT_EQ(Recalculate(2, 7), 0);
}

TEST_F(PreviousPriorityTest, APairThatIsNamedLaterBeginsAtTheLowest) {
  SetSnapshot();
  Track("1", {"main"});
  Recalculate(4, 1);
  TrackedJob job = *queue_->Find("1");
  job.job.partitions = {"main", "fast"};
  queue_->Apply({{{"1", PackJob(job)}}});
  EXPECT_EQ(Priorities(), (Expected{{"1@main", 4000}, {"1@fast", 4000}}));
}

}  // namespace
}  // namespace priorityd::queue
