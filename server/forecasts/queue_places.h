// The places of the jobs of a tracked queue in its start order, as forecasts use them.
#ifndef PRIORITYD_SERVER_FORECASTS_QUEUE_PLACES_H_
#define PRIORITYD_SERVER_FORECASTS_QUEUE_PLACES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/forecast/job.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::forecasts {

// The start order of one moment. Immutable.
class QueuePlaces {
 public:
  // Of a ranking of all `jobs`, with factors; rows other than the best of a job are ignored. The
  // work of jobs that are larger than the cluster does not count.
  QueuePlaces(const priority::Cluster& cluster, absl::Span<const priority::Job> jobs,
              const priority::Ranking& ranking);

  // The known facts about a pending job. One that cannot start has no place, but is known to be
  // held.
  forecast::Knowledge Of(absl::string_view job_id) const;
  // The same for a job that is not in the queue, whose state this is, with its ranking alone: it
  // would be behind all of its priority, and within the limits beside all other jobs.
  forecast::Knowledge OfSupposed(const queue::QueueState& state, const priority::Job& job,
                                 const priority::Ranking& ranking, absl::Time as_of) const;

 private:
  struct Place {
    uint32_t priority = 0;
    double work_before = 0;  // CPU seconds of the jobs ahead.
    double fair_share = 0;
  };

  forecast::Knowledge At(size_t place, uint32_t priority, double fair_share) const;

  std::vector<Place> places_;  // In start order.
  double work_ = 0;            // Of all of them.
  absl::flat_hash_map<std::string, size_t> place_of_;
  absl::flat_hash_map<std::string, forecast::Knowledge> held_;  // Of jobs that cannot start.
};

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_QUEUE_PLACES_H_
