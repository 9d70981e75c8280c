// Converts forecasts and their scores to the API.
#ifndef PRIORITYD_SERVER_API_FORECASTS_CONVERT_FORECAST_H_
#define PRIORITYD_SERVER_API_FORECASTS_CONVERT_FORECAST_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "priority/v1/forecast.pb.h"
#include "server/forecasts/book.h"

namespace priorityd::rpc {

// The levels of a question: those of a request, ascending, and those of the sentence.
std::vector<double> LevelsOf(absl::Span<const double> requested);

// Converts the answer to a question with LevelsOf(requested). Times are not before `now`.
void ToProto(const forecasts::JobForecast& forecast, const std::vector<double>& levels,
             absl::Span<const double> requested, const forecasts::Recent& recent, absl::Time now,
             absl::TimeZone zone, ::priority::v1::StartForecast* proto);

void ToProto(const std::string& group, const forecast::Score& score,
             ::priority::v1::ForecastScore* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_FORECASTS_CONVERT_FORECAST_H_
