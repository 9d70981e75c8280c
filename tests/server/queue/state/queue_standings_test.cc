// Standings of a list, compared with the ranking.
#include "server/queue/state/queue_standings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

class QueueStandingsTest : public testing::Test {
 protected:
  QueueStandingsTest() {
    site_.source.policy.weight_age = 1000;
    site_.source.policy.weight_qos = 500;
    queue_ = std::make_unique<TrackedQueue>(site_.Build());
  }
  void Upsert(const TrackedJob& job) {
    QueueUpdate update(*queue_, priority::kNow);
    update.Upsert(job);
    queue_->Apply(update.Finish());
  }
  // By job id.
  std::map<std::string, JobStanding> All() const {
    std::vector<JobPlace> places;
    Ids ids;
    for (uint32_t chunk = 0; chunk < queue_->state()->chunks().size(); ++chunk) {
      for (uint32_t i = 0; i < queue_->state()->chunks()[chunk]->size(); ++i) {
        places.push_back({chunk, i});
        ids.emplace_back(queue_->state()->chunks()[chunk]->table().job_id[i]);
      }
    }
    const auto standings = QueueStandings(queue_->state(), priority::kNow).Of(places);
    std::map<std::string, JobStanding> all;
    for (size_t i = 0; i < ids.size(); ++i) all[ids[i]] = standings[i];
    return all;
  }

  using Ids = std::vector<std::string>;
  priority::SmallSite site_;
  std::unique_ptr<TrackedQueue> queue_;
};

TEST_F(QueueStandingsTest, TheFirstWaitsForResourcesAndOthersForItsPriority) {
  for (const char* id : {"1", "2"}) {
    TrackedJob job;
    job.job = priority::JobOf(id);
    Upsert(job);
  }
  TrackedJob waits;
  waits.job = priority::JobOf("3");
  waits.dependency = "afterok:1";
  Upsert(waits);
  TrackedJob runs;
  runs.job = priority::JobOf("4");
  runs.job.state = priority::JobState::kRunning;
  Upsert(runs);
  const auto all = All();
  EXPECT_EQ(all.at("1").rank, 1u);
  EXPECT_EQ(all.at("1").reason, "Resources");
  EXPECT_EQ(all.at("2").rank, 2u);
  EXPECT_EQ(all.at("2").reason, "Priority");
  EXPECT_EQ(all.at("3").rank, 0u);
  EXPECT_EQ(all.at("3").reason, "Dependency");
  EXPECT_EQ(all.at("3").text, "waits for afterok:1");
  EXPECT_EQ(all.at("4").reason, "");
}

TEST_F(QueueStandingsTest, StandingsAreWhatTheRankingSaysOfEveryJob) {
  priority::Draw draw(7);
  for (int i = 0; i < 700; ++i) {
    const std::string id = std::to_string(i);
    TrackedJob job;
    job.job = priority::JobOf(id);
    job.job.nice = static_cast<int>(draw.Below(200));
    if (draw.Below(3) == 0) job.job.qos = {"normal", "high"};
    if (draw.Below(3) == 0) job.job.partitions = {"fast", "main"};
    if (draw.Below(6) == 0) job.job.hold = priority::Hold::kUser;
    if (draw.Below(6) == 0) job.job.state = priority::JobState::kRunning;
    if (draw.Below(9) == 0) job.job.account = "nowhere";
    Upsert(job);
  }
  auto all = All();
  priority::RankOptions options = priority::Now();
  options.best_only = true;
  const QueueRanking answer = Rank(queue_->state(), options, SIZE_MAX);
  ASSERT_GT(answer.ranking.ranked.size(), 300u);
  for (const auto& row : answer.ranking.ranked) {
    const std::string id(answer.jobs[row.job].job_id);
    EXPECT_EQ(all[id].rank, row.rank) << id;
    EXPECT_EQ(all[id].priority, row.priority) << id;
    all.erase(id);
  }
  for (const auto& row : answer.ranking.ineligible) {
    const std::string id(answer.jobs[row.job].job_id);
    EXPECT_EQ(all[id].rank, 0u) << id;
    EXPECT_EQ(all[id].priority, row.priority) << id;
    EXPECT_EQ(all[id].reason, priority::ReasonName(row.why.reason)) << id;
    all.erase(id);
  }
  for (const auto& [id, standing] : all) EXPECT_EQ(standing.reason, "") << id;
  EXPECT_EQ(all.size(), answer.ranking.running.size());
}

}  // namespace
}  // namespace priorityd::queue
