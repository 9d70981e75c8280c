// Forecasts of the places of a simulated ranking.
#ifndef PRIORITYD_SERVER_API_FORECASTS_PLACE_FORECASTS_H_
#define PRIORITYD_SERVER_API_FORECASTS_PLACE_FORECASTS_H_

#include <optional>

#include "absl/time/time.h"
#include "engine/priority/jobs/job.h"
#include "engine/scheduling/planned_queue.h"
#include "priority/v1/start_interval.pb.h"
#include "server/forecasts/book.h"
#include "server/forecasts/queue_places.h"
#include "server/forecasts/queue_plans.h"

namespace priorityd::rpc {

// Forecasts each job as if it were submitted now and had its place in the ranking. Two rankings of
// one queue are thereby compared by the same state of everything else.
class PlaceForecasts {
 public:
  // `queue`: its ranking has factors and the running jobs, and is planned as of now. All must
  // outlive this.
  PlaceForecasts(forecasts::Book* book, const scheduling::PlannedQueue& queue,
                 const forecasts::PlanSource& source)
      : book_(*book),
        now_(queue.as_of),
        places_(queue.snapshot.cluster(), queue.jobs, queue.ranking),
        plans_(queue, source) {}

  // Nullopt if the job has no place, or no forest forecasts: the table of waits knows no places.
  std::optional<::priority::v1::StartInterval> Of(const priority::Job& job) const;

 private:
  forecasts::Book& book_;
  const absl::Time now_;
  const forecasts::QueuePlaces places_;
  const forecasts::QueuePlans plans_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_FORECASTS_PLACE_FORECASTS_H_
