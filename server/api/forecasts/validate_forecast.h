// Validation of ForecastStarts and ScoreForecasts, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_FORECASTS_VALIDATE_FORECAST_H_
#define PRIORITYD_SERVER_API_FORECASTS_VALIDATE_FORECAST_H_

#include "absl/status/status.h"
#include "priority/v1/forecast.pb.h"
#include "server/forecasts/books.h"

namespace priorityd::rpc {

inline constexpr int kMaxForecasts = 10'000;
inline constexpr int kMaxSupposedJobs = 100;
inline constexpr int kMaxLevels = 20;

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ForecastStartsRequest& request);
absl::Status Validate(const ::priority::v1::ScoreForecastsRequest& request);

// FAILED_PRECONDITION (NO_FORECASTS): the server makes none.
absl::Status CheckForecasts(const forecasts::Books& books);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_FORECASTS_VALIDATE_FORECAST_H_
