// Forecasts of the places of a simulated ranking.
#ifndef PRIORITYD_SERVER_API_FORECASTS_PLACE_FORECASTS_H_
#define PRIORITYD_SERVER_API_FORECASTS_PLACE_FORECASTS_H_

#include <optional>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "priority/v1/start_interval.pb.h"
#include "server/forecasts/book.h"
#include "server/forecasts/queue_places.h"

namespace priorityd::rpc {

// Forecasts each job as if it were submitted now and had its place in the ranking. Two rankings of
// one queue are thereby compared by the same state of everything else.
class PlaceForecasts {
 public:
  // `book` must outlive this. `ranking` is of `jobs`, with factors.
  PlaceForecasts(forecasts::Book* book, absl::Time now, absl::Span<const priority::Job> jobs,
                 const priority::Ranking& ranking)
      : book_(*book), now_(now), places_(jobs, ranking) {}

  // Nullopt if the job has no place, or no forest forecasts: the table of waits knows no places.
  std::optional<::priority::v1::StartInterval> Of(const priority::Job& job) const;

 private:
  forecasts::Book& book_;
  const absl::Time now_;
  const forecasts::QueuePlaces places_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_FORECASTS_PLACE_FORECASTS_H_
