// The reasons that jobs have no forecast.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_MISSING_FORECASTS_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_MISSING_FORECASTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/priority_client.h"
#include "priority/v1/forecast.pb.h"

namespace priorityd::prioctl {

// Sentences about the jobs of `job_ids`, without ids about the queue, that `response` has no
// forecast of, each on a line; empty if it has all. The queue is asked only for these.
absl::StatusOr<std::string> MissingForecasts(const std::vector<std::string>& job_ids,
                                             const ::priority::v1::ForecastStartsResponse& response,
                                             const client::PriorityClient& client);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_MISSING_FORECASTS_H_
