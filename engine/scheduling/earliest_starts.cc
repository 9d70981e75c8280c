#include "engine/scheduling/earliest_starts.h"

#include <algorithm>

namespace priorityd::scheduling {

bool HasReservations(const priority::Snapshot& snapshot, absl::Time now) {
  return std::any_of(snapshot.reservations().begin(), snapshot.reservations().end(),
                     [&](const priority::Reservation& of) { return of.end > now; });
}

EarliestStarts::EarliestStarts(const priority::Snapshot& snapshot, const DescribedCluster& cluster,
                               absl::Time now)
    : snapshot_(snapshot), cluster_(cluster), now_(now), idle_(cluster.cluster()) {}

absl::Time EarliestStarts::Of(const priority::Job& job) {
  absl::Time earliest = absl::InfiniteFuture();
  if (job.partitions.empty()) earliest = In(job, snapshot_.default_partition());
  for (const absl::string_view name : job.partitions) {
    const int partition = snapshot_.FindPartition(name);
    if (partition < 0) return now_;
    earliest = std::min(earliest, In(job, partition));
  }
  return earliest == absl::InfiniteFuture() ? now_ : earliest;
}

EarliestStarts::Kind EarliestStarts::KindOf(const plan::Request& request, const plan::Place& place,
                                            absl::Duration limit) {
  std::vector<int64_t> kind(request.per_node.begin(), request.per_node.end());
  kind.push_back(request.nodes);
  kind.push_back(absl::ToUnixMicros(place.opens));
  kind.push_back(absl::ToUnixMicros(place.closes));
  for (const plan::PoolNeed& need : place.pools) {
    kind.push_back(need.pool);
    kind.push_back(need.amount);
  }
  kind.push_back(-1);
  kind.insert(kind.end(), place.types.begin(), place.types.end());
  return {std::move(kind), limit};
}

absl::Time EarliestStarts::In(const priority::Job& job, int partition) {
  const plan::Place place = cluster_.PlaceOf(job, partition);
  const plan::Request request = cluster_.RequestOf(job, partition);
  const absl::Duration limit = cluster_.TimeLimitOf(job, partition);
  const auto [found, is_new] =
      found_.emplace(KindOf(request, place, limit), absl::InfiniteFuture());
  if (!is_new) return found->second;
  const auto slot = idle_.Earliest(request, place, limit, now_, absl::InfiniteFuture());
  if (slot.has_value()) found->second = slot->start;
  return found->second;
}

}  // namespace priorityd::scheduling
