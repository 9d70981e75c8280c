// Forecasts in brief: beside the jobs of lists, rankings and simulations.
#ifndef PRIORITYD_SERVER_API_FORECASTS_START_INTERVAL_H_
#define PRIORITYD_SERVER_API_FORECASTS_START_INTERVAL_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/start_interval.pb.h"
#include "server/forecasts/book.h"
#include "server/queue/watching/ranking_top.h"

namespace priorityd::rpc {

// Nullopt if no job has started yet.
std::optional<queue::ForecastStart> StartOf(const forecasts::JobForecast& forecast);

// Times are not before `now`.
void ToProto(const queue::ForecastStart& start, absl::Time now,
             ::priority::v1::StartInterval* proto);

// The levels of a question whose answer StartOf takes.
const std::vector<double>& IntervalLevels();

// Sets the start_interval of each pending job that has a forecast. `book`: null = none has.
void SetIntervals(forecasts::Book* book, absl::Time now,
                  ::priority::v1::ListJobsResponse* response);

// Sets the starts of the rows of `top`. A start that is near that of the same row of `before` (null
// = none) is the same: watchers do not get each row again with each second of its wait.
void SetStarts(forecasts::Book* book, const queue::RankingTop* before, queue::RankingTop* top);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_FORECASTS_START_INTERVAL_H_
