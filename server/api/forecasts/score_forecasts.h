// ScoreForecasts: how good the forecasts of a cluster were.
#ifndef PRIORITYD_SERVER_API_FORECASTS_SCORE_FORECASTS_H_
#define PRIORITYD_SERVER_API_FORECASTS_SCORE_FORECASTS_H_

#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/forecast.pb.h"
#include "server/forecasts/book.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// `book`: null = nothing was learned yet. Of groups of users, the caller gets its own, or all if it
// sees all jobs.
void ScoreForecasts(const Caller& caller, const priority::Snapshot& snapshot,
                    const forecasts::Book* book, ::priority::v1::ScoreForecastsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_FORECASTS_SCORE_FORECASTS_H_
