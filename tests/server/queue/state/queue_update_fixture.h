// A small site's tracked queue, changed by updates.
#ifndef PRIORITYD_TESTS_SERVER_QUEUE_STATE_QUEUE_UPDATE_FIXTURE_H_
#define PRIORITYD_TESTS_SERVER_QUEUE_STATE_QUEUE_UPDATE_FIXTURE_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {

class QueueUpdateTest : public testing::Test {
 protected:
  QueueUpdateTest() {
    site_.source.policy.weight_age = 1000;
    site_.source.policy.max_age = absl::Hours(1000);
    Start();
  }

  void Start() { queue_ = std::make_unique<TrackedQueue>(site_.Build()); }

  static TrackedJob Pending(absl::string_view job_id) {
    TrackedJob job;
    job.job = priority::JobOf(job_id);
    job.source = "test";
    return job;
  }
  static TrackedJob Ended(absl::string_view job_id, JobEnd end) {
    TrackedJob job = Pending(job_id);
    job.job.state = priority::JobState::kRunning;
    job.end = end;
    return job;
  }

  std::vector<UpdateResult> Upsert(const std::vector<TrackedJob>& jobs,
                                   absl::Time now = priority::kNow) {
    QueueUpdate update(*queue_, now);
    for (const TrackedJob& job : jobs) update.Upsert(job);
    queue_->Apply(update.Finish());
    return update.results();
  }
  UpdateResult Upsert(const TrackedJob& job, absl::Time now = priority::kNow) {
    return Upsert(std::vector<TrackedJob>{job}, now).front();
  }
  // Sets fields of the job, which `told` has.
  UpdateResult Change(const TrackedJob& told, const std::vector<std::string>& fields,
                      absl::Time now = priority::kNow, const JobRights& rights = {}) {
    JobFields named;
    for (const std::string& field : fields) EXPECT_TRUE(named.Add(field).ok()) << field;
    QueueUpdate update(*queue_, now, {}, rights);
    update.Change(told, named);
    queue_->Apply(update.Finish());
    return update.results().front();
  }
  UpdateResult Remove(absl::string_view job_id, absl::Time now = priority::kNow) {
    QueueUpdate update(*queue_, now);
    update.Remove(job_id);
    queue_->Apply(update.Finish());
    return update.results().front();
  }

  // By job id.
  std::map<std::string, std::string> Reasons(absl::Time as_of = priority::kNow) const {
    priority::RankOptions options = priority::Now();
    options.as_of = as_of;
    const QueueRanking answer = Rank(queue_->state(), options, SIZE_MAX);
    std::map<std::string, std::string> reasons;
    for (const auto& row : answer.ranking.ranked) {
      reasons[std::string(answer.jobs[row.job].job_id)] = "";
    }
    for (const auto& row : answer.ranking.ineligible) {
      reasons[std::string(answer.jobs[row.job].job_id)] =
          std::string(priority::ReasonName(answer.state->snapshot().limits(), row.why));
    }
    return reasons;
  }

  absl::Time AccrueTime(absl::string_view job_id) const {
    return *queue_->Find(job_id)->job.accrue_time;
  }

  priority::SmallSite site_;
  std::unique_ptr<TrackedQueue> queue_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_TESTS_SERVER_QUEUE_STATE_QUEUE_UPDATE_FIXTURE_H_
