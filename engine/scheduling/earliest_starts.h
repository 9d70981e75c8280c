// The earliest start time of a job if there were no other job.
#ifndef PRIORITYD_ENGINE_SCHEDULING_EARLIEST_STARTS_H_
#define PRIORITYD_ENGINE_SCHEDULING_EARLIEST_STARTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "engine/plan/cluster.h"
#include "engine/plan/cluster_profile.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/scheduling/described_cluster.h"

namespace priorityd::scheduling {

// Whether a reservation can delay jobs at that time or later.
bool HasReservations(const priority::Snapshot& snapshot, absl::Time now);

// The earliest starts of jobs on idle nodes, where only reservations delay a job. A job cannot
// start earlier, whatever the others do.
class EarliestStarts {
 public:
  // Both references must outlive it.
  EarliestStarts(const priority::Snapshot& snapshot, const DescribedCluster& cluster,
                 absl::Time now);

  // In the partition that lets it start first, of those in which it fits on idle nodes; `now` if
  // nothing is known to delay it: there is no such partition, or it names one that does not exist.
  absl::Time Of(const priority::Job& job);

 private:
  // The inputs of an earliest start: a request, its place, and the time limit.
  using Kind = std::pair<std::vector<int64_t>, absl::Duration>;
  static Kind KindOf(const plan::Request& request, const plan::Place& place, absl::Duration limit);

  // InfiniteFuture() = never.
  absl::Time In(const priority::Job& job, int partition);

  const priority::Snapshot& snapshot_;
  const DescribedCluster& cluster_;
  const absl::Time now_;
  plan::ClusterProfile idle_;
  absl::flat_hash_map<Kind, absl::Time> found_;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_EARLIEST_STARTS_H_
