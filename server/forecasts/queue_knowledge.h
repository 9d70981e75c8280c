// The facts about the jobs of a tracked queue that only a service knows: places, limits, plans.
#ifndef PRIORITYD_SERVER_FORECASTS_QUEUE_KNOWLEDGE_H_
#define PRIORITYD_SERVER_FORECASTS_QUEUE_KNOWLEDGE_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/forecast/job.h"
#include "engine/priority/jobs/job.h"
#include "engine/scheduling/planned_queue.h"
#include "server/forecasts/queue_places.h"
#include "server/forecasts/queue_plans.h"
#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::forecasts {

// As of one moment.
class QueueKnowledge {
 public:
  // Larger queues are not ranked: nothing is known of their jobs.
  static constexpr size_t kMostJobs = 100'000;

  // Ranks and plans the queue. `source` must outlive it.
  QueueKnowledge(std::shared_ptr<const queue::QueueState> state, absl::Time as_of,
                 const PlanSource& source);
  QueueKnowledge(const QueueKnowledge&) = delete;
  QueueKnowledge& operator=(const QueueKnowledge&) = delete;

  forecast::Knowledge Of(absl::string_view job_id) const;
  // Of a job as if it were submitted now. Plans the queue with it.
  forecast::Knowledge OfSupposed(const priority::Job& job) const;

 private:
  const std::shared_ptr<const queue::QueueState> state_;
  const absl::Time as_of_;
  queue::QueueRanking ranked_;
  std::optional<scheduling::PlannedQueue> queue_;  // Unset: nothing is known.
  std::optional<QueuePlaces> places_;
  std::optional<QueuePlans> plans_;
};

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_QUEUE_KNOWLEDGE_H_
