#include "server/queue/state/supposed_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "server/queue/state/queue_ranking.h"
#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

class SupposedQueueTest : public QueueUpdateTest {
 protected:
  // Hours of age by job, of those that can start.
  std::map<std::string, double> HoursAt(const std::shared_ptr<const QueueState>& state,
                                        absl::Time time) {
    priority::RankOptions options = priority::Now();
    options.as_of = time;
    const QueueRanking answer = Rank(state, options, 0);
    std::map<std::string, double> hours;
    for (const auto& row : answer.ranking.ranked) {
      hours[std::string(answer.jobs[row.job].job_id)] =
          row.factors->age * absl::ToDoubleHours(state->snapshot().policy().max_age);
    }
    return hours;
  }
};

// Job 1 was submitted at noon; at two, under a MaxTime of three hours, job 2 is submitted, which
// requests four. Supposed at four: MaxTime five hours, and one of half an hour; ranked at ten.
TEST_F(SupposedQueueTest, AgesContinueAndStopFromTheMomentThatIsSupposed) {
  const absl::Time noon = priority::kNow;
  site_.source.policy.max_age = absl::Hours(1000);
  site_.source.policy.weight_age = 1;
  site_.partition("main").max_time = absl::Hours(3);
  site_.source.computed_at = noon;
  queue_ = std::make_unique<TrackedQueue>(site_.Build());
  QueueUpdate update(*queue_, noon + absl::Hours(2));
  for (const auto& [id, hours] : {std::pair("1", 1), {"2", 4}}) {
    TrackedJob job;
    job.job = priority::JobOf(id);
    job.job.submit_time = noon;
    job.job.time_limit = absl::Hours(hours);
    update.Upsert(job);
  }
  queue_->Apply(update.Finish());
  const absl::Time supposed_at = noon + absl::Hours(4);
  const absl::Time later = noon + absl::Hours(10);
  site_.source.computed_at = later;
  const auto suppose = [&](absl::Duration max_time) {
    site_.partition("main").max_time = max_time;
    return Suppose(*queue_->state(), site_.Build(), supposed_at);
  };
  const std::map<std::string, double> longer = HoursAt(suppose(absl::Hours(5)), later);
  ASSERT_EQ(longer.size(), 2u);
  EXPECT_NEAR(longer.at("1"), 10, 1e-6);
  EXPECT_NEAR(longer.at("2"), 6, 1e-6) << "from four on, as it had nothing before";
  const auto shorter = suppose(absl::Minutes(30));
  EXPECT_EQ(HoursAt(shorter, later).size(), 0u);
  ASSERT_EQ(shorter->chunks().size(), 1u);
  for (size_t i = 0; i < 2; ++i) {
    const priority::Job job = shorter->chunks()[0]->job(i).job;
    // The age of job 2 has stood still since its submission.
    const absl::Time since = job.job_id == "1" ? supposed_at : noon + absl::Hours(2);
    EXPECT_EQ(job.accrual_stopped, since) << job.job_id;
  }
}

}  // namespace
}  // namespace priorityd::queue
