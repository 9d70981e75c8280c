// The partitions and QOS in which a user may submit a job.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_USABLE_PLACES_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_USABLE_PLACES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

struct Place {
  std::string partition;
  std::string qos;  // Empty = the cluster has no QOS, so that none need be named.
};

// The pairs by access lists: those of ListPartitions for the user and the account (empty = any of
// the user), without closed partitions (State, RootOnly). The service does not say who is in
// AllowGroups: such a partition counts if this host's groups have the user. At most `most`, in the
// order of the service. None if the caller may not list partitions.
absl::StatusOr<std::vector<Place>> UsablePlaces(const std::string& user, const std::string& account,
                                                size_t most, const client::PriorityClient& client);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_USABLE_PLACES_H_
