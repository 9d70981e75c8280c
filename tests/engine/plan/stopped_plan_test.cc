// Plans that are not needed any more.
#include <gtest/gtest.h>

#include <vector>

#include "absl/time/time.h"
#include "engine/plan/plan.h"
#include "engine/plan/running_jobs.h"

namespace priorityd::plan {
namespace {

// Of four nodes three are in use for an hour more; ten jobs wait for one each.
TEST(StoppedPlanTest, HasTheJobsBeforeAndReleasesTheirNodes) {
  const absl::Time now = absl::FromUnixSeconds(1'000'000'020);
  const Cluster cluster{.types = {{4, {1}}}};
  RunningJobs running(cluster);
  running.Start(0, {.request = {3, {1}}, .place = {.types = {0}}, .end = now + absl::Hours(1)});
  const WaitingJob job = {
      .request = {1, {1}}, .places = {{.types = {0}}}, .time_limit = absl::Hours(1)};
  const std::vector<WaitingJob> waiting(10, job);
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const auto whole = PlanStarts(&running, waiting, now, {.backfill = backfill});
    int asked = 0;
    const auto stopped =
        PlanStarts(&running, waiting, now,
                   {.backfill = backfill, .must_stop = [&asked] { return ++asked > 4; }});
    EXPECT_LE(asked, 6);
    EXPECT_EQ(stopped[0].wait, Wait::kNone);
    EXPECT_EQ(stopped[3].wait, whole[3].wait);
    EXPECT_EQ(stopped[4].wait, Wait::kNotLookedAt);
    const auto again = PlanStarts(&running, waiting, now, {.backfill = backfill});
    for (size_t i = 0; i < waiting.size(); ++i) {
      EXPECT_EQ(again[i].wait, whole[i].wait);
      EXPECT_EQ(again[i].start, whole[i].start);
      EXPECT_EQ(again[i].nodes, whole[i].nodes);
    }
  }
}

}  // namespace
}  // namespace priorityd::plan
