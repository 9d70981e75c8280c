// ForecastStarts: when jobs start, with the uncertainty.
#ifndef PRIORITYD_SERVER_API_FORECASTS_FORECAST_STARTS_H_
#define PRIORITYD_SERVER_API_FORECASTS_FORECAST_STARTS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/explanation.pb.h"
#include "priority/v1/forecast.pb.h"
#include "server/forecasts/book.h"
#include "server/forecasts/queue_plans.h"
#include "server/queue/state/queue_state.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// Forecasts the jobs of the request that the caller may see, and those of its `jobs`. `book`: null
// = nothing was learned yet, and no job is forecast. `source` is for `jobs`. REQUIRES: the request
// is valid. PERMISSION_DENIED as CheckInlineJobs.
absl::Status ForecastStarts(const Caller& caller, std::shared_ptr<const queue::QueueState> state,
                            forecasts::Book* book, const forecasts::PlanSource& source,
                            absl::Time now, const ::priority::v1::ForecastStartsRequest& request,
                            ::priority::v1::ForecastStartsResponse* response);

// Sets the forecast of the explanation of a job, if it waits. The caller sees the job.
void SetForecast(const queue::QueueState& state, forecasts::Book* book, absl::Time now,
                 ::priority::v1::ExplainPriorityResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_FORECASTS_FORECAST_STARTS_H_
