#include "server/queue/state/lease_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "server/queue/state/packed_job.h"
#include "server/queue/state/queue_explanation.h"
#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_standings.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// Jobs 1 and 2 have no priority except their nice values, 1 has -50.
class LeasedJobTest : public testing::Test {
 protected:
  LeasedJobTest() : queue_(site_.Build()) {
    for (const char* job_id : {"1", "2"}) {
      TrackedJob job;
      job.job = priority::JobOf(job_id);
      if (job.job.job_id == "1") job.job.nice = -50;
      queue_.Apply({{{job_id, PackJob(job)}}});
    }
  }

  // From a snapshot with these leases on.
  void SetLeases(priority::LeasedNices nices) {
    site_.source.leased_nices = std::make_shared<const priority::LeasedNices>(std::move(nices));
    queue_.SetSnapshot(site_.Build());
  }

  std::map<std::string, uint32_t> Priorities() const {
    const QueueRanking ranking = Rank(queue_.state(), priority::Now(), 0);
    std::map<std::string, uint32_t> priorities;
    for (const priority::RankedRow& row : ranking.ranking.ranked) {
      priorities[std::string(ranking.jobs[row.job].job_id)] = *row.priority;
    }
    return priorities;
  }

  QueueExplanation Explained() const {
    return Explain(queue_.state(), priority::kNow, {.job_id = "1"}).value();
  }

  static absl::Time Until() { return absl::FromUnixSeconds(1'797'616'800); }  // 2026-12-18T18Z.

  priority::SmallSite site_;
  TrackedQueue queue_;
};

TEST_F(LeasedJobTest, AJobIsRankedByItsLeaseAndKeepsItsOwnNiceValue) {
  EXPECT_THAT(Priorities(), UnorderedElementsAre(Pair("1", 50), Pair("2", 1)));
  SetLeases({{"1", {-100, Until(), std::nullopt, 12}}, {"3", {-900, Until(), std::nullopt, 13}}});
  EXPECT_THAT(Priorities(), UnorderedElementsAre(Pair("1", 100), Pair("2", 1)));
  EXPECT_EQ(queue_.Find("1")->job.nice, -50);
  EXPECT_EQ(Explained().explanation.row.priority, 100u);
  EXPECT_EQ(Explained().jobs[0].nice, -100);
  EXPECT_EQ(Explained().tracked.job.nice, -50);
  EXPECT_EQ(QueueStandings(queue_.state(), priority::kNow).Of({{0, 0}})[0].priority, 100u);
  SetLeases({});
  EXPECT_THAT(Priorities(), UnorderedElementsAre(Pair("1", 50), Pair("2", 1)));
}

TEST_F(LeasedJobTest, AChangeOfTheJobKeepsTheLease) {
  SetLeases({{"1", {-100, Until(), std::nullopt, 12}}});
  TrackedJob job = *queue_.Find("1");
  job.job.nice = -70;
  queue_.Apply({{{"1", PackJob(job)}}});
  EXPECT_EQ(Priorities().at("1"), 100u);
  SetLeases({});
  EXPECT_EQ(Priorities().at("1"), 70u);
}

TEST_F(LeasedJobTest, TheSentenceHasTheNextValueInTheZoneOfThePolicy) {
  ASSERT_TRUE(absl::LoadTimeZone("Europe/Berlin", &site_.source.policy.time_zone));
  SetLeases({{"1", {-100, Until(), std::nullopt, 12}}});
  EXPECT_EQ(Explained().leased,
            "Its nice value is -100 until 2026-12-18T19:00:00, then -50 (lease 12).");
  SetLeases({{"1", {-100, Until() + absl::Milliseconds(151), 7, 12}}});
  EXPECT_EQ(Explained().leased,
            "Its nice value is -100 until 2026-12-18T19:00:00, then 7 (lease 12).");
  SetLeases({});
  EXPECT_EQ(Explained().leased, "");
}

}  // namespace
}  // namespace priorityd::queue
