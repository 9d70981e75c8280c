// What is known of jobs of a small site, worked out by hand.
#include "server/forecasts/queue_knowledge.h"

#include <gtest/gtest.h>

#include <memory>

#include "server/queue/state/queue_update.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::forecasts {
namespace {

using priority::kNow;
using queue::TrackedJob;

// Two nodes of 8 CPUs, of which a job has one for 50 minutes more; it will probably end in 20.
class QueueKnowledgeTest : public testing::Test {
 protected:
  QueueKnowledgeTest() {
    auto nodes = std::make_shared<scheduling::ClusterDescription>();
    nodes->node_types = {
        {.name = "plain", .nodes = {"a", "b"}, .partitions = {}, .tres = {{"cpu", 8}}}};
    source_ = {.nodes = std::move(nodes), .run_time = [](const priority::Job&) { return 1800.0; }};
  }

  TrackedJob Job(absl::string_view job_id, double cpus) const {
    TrackedJob job;
    job.job = priority::JobOf(job_id);
    job.job.partitions = {"main"};
    job.job.cpus = cpus;
    job.job.time_limit = absl::Hours(1);
    job.source = "test";
    return job;
  }
  void Build() { queue_ = std::make_unique<queue::TrackedQueue>(site_.Build()); }
  void Upsert(const TrackedJob& job) {
    queue::QueueUpdate update(*queue_, kNow);
    update.Upsert(job);
    queue_->Apply(update.Finish());
  }
  void Run(absl::string_view job_id) {
    TrackedJob job = Job(job_id, 8);
    job.job.state = priority::JobState::kRunning;
    job.job.start_time = kNow - absl::Minutes(10);
    job.job.node_list = "a";
    Upsert(job);
  }
  QueueKnowledge Knowledge() { return QueueKnowledge(queue_->state(), kNow, source_); }

  priority::SmallSite site_;
  std::unique_ptr<queue::TrackedQueue> queue_;
  PlanSource source_;
};

TEST_F(QueueKnowledgeTest, OfAJobBothPlansAreKnown) {
  Build();
  Run("runs");
  Upsert(Job("1", 8));
  Upsert(Job("2", 8));
  const QueueKnowledge knowledge = Knowledge();
  const forecast::Knowledge first = knowledge.Of("1"), second = knowledge.Of("2");
  EXPECT_EQ(first.planned_wait, 0);
  EXPECT_EQ(first.jobs_ahead, 0);
  EXPECT_EQ(second.jobs_ahead, 1);
  EXPECT_EQ(second.planned_wait, 50 * 60);
  EXPECT_EQ(second.expected_wait, 20 * 60);
  EXPECT_FALSE(second.earliest_wait.has_value());
  EXPECT_FALSE(knowledge.Of("unknown").planned_wait.has_value());
}

TEST_F(QueueKnowledgeTest, AJobThatIsLargerThanTheClusterIsNoWorkAhead) {
  site_.partition("main").tres.clear();  // It is known of the cluster alone, which has 64 CPUs.
  Build();
  Upsert(Job("1", 1e12));
  Upsert(Job("2", 8));
  Upsert(Job("3", 8));
  const QueueKnowledge knowledge = Knowledge();
  EXPECT_EQ(knowledge.Of("3").work_ahead, 8 * 3600);
  EXPECT_EQ(knowledge.OfSupposed(Job("", 8).job).work_ahead, 2 * 8 * 3600);
}

TEST_F(QueueKnowledgeTest, WithoutNodesOnlyThePlaceIsKnown) {
  Build();
  source_.nodes = nullptr;
  Upsert(Job("1", 8));
  const QueueKnowledge knowledge = Knowledge();
  EXPECT_EQ(knowledge.Of("1").jobs_ahead, 0);
  EXPECT_FALSE(knowledge.Of("1").planned_wait.has_value());
  EXPECT_FALSE(knowledge.OfSupposed(Job("2", 8).job).planned_wait.has_value());
}

TEST_F(QueueKnowledgeTest, AJobAtALimitIsPlannedToo) {
  site_.association("physics", "ann").limits.others = {{priority::LimitKind::kMaxJobs, "", 1}};
  Build();
  Run("runs");
  Upsert(Job("1", 8));
  const QueueKnowledge knowledge = Knowledge();
  EXPECT_EQ(knowledge.Of("1").held_by_limit, 1);
  EXPECT_EQ(knowledge.Of("1").planned_wait, 50 * 60);
  EXPECT_EQ(knowledge.OfSupposed(Job("2", 8).job).planned_wait, 110 * 60);
}

TEST_F(QueueKnowledgeTest, ASupposedJobIsPlannedInItsPlace) {
  Build();
  Run("runs");
  Upsert(Job("1", 8));
  const forecast::Knowledge known = Knowledge().OfSupposed(Job("", 8).job);
  EXPECT_EQ(known.jobs_ahead, 1);
  EXPECT_EQ(known.planned_wait, 50 * 60);
  EXPECT_EQ(known.expected_wait, 20 * 60);
}

TEST_F(QueueKnowledgeTest, AReservationBoundsTheWait) {
  site_.source.reservations = {{.name = "maint",
                                .start = kNow + absl::Minutes(30),
                                .end = kNow + absl::Hours(5),
                                .nodes = "ALL",
                                .users = {{"bob"}},
                                .maint = true}};
  Build();
  Upsert(Job("1", 8));
  TrackedJob brief = Job("2", 8);
  brief.job.time_limit = absl::Minutes(30);
  Upsert(brief);
  const QueueKnowledge knowledge = Knowledge();
  EXPECT_EQ(knowledge.Of("1").earliest_wait, 5 * 3600);
  EXPECT_EQ(knowledge.Of("1").planned_wait, 5 * 3600);
  EXPECT_EQ(knowledge.Of("2").earliest_wait, 0);
  EXPECT_EQ(knowledge.OfSupposed(Job("3", 8).job).earliest_wait, 5 * 3600);
  const auto starts = EarliestStartsOf(*queue_->state(), kNow, source_.nodes);
  ASSERT_EQ(starts.size(), 1);
  EXPECT_EQ(starts.at("1"), absl::ToUnixSeconds(kNow + absl::Hours(5)));
}

}  // namespace
}  // namespace priorityd::forecasts
