#include "server/api/forecasts/place_forecasts.h"

#include "server/api/forecasts/start_interval.h"
#include "server/forecasts/event.h"

namespace priorityd::rpc {

std::optional<::priority::v1::StartInterval> PlaceForecasts::Of(const priority::Job& job) const {
  forecast::Knowledge known = places_.Of(job.job_id);
  if (!known.jobs_ahead.has_value()) return std::nullopt;
  plans_.AddTo(job.job_id, &known);
  const int64_t now = absl::ToUnixSeconds(now_);
  forecast::Job supposed =
      forecasts::JobOf(forecasts::MakeEvent(forecasts::EventKind::kSubmit, job, now));
  supposed.known = known;
  const forecasts::JobForecast forecast = book_.ForecastNew(supposed, {now, IntervalLevels()});
  if (forecast.start.source != forecast::Source::kForest) return std::nullopt;
  const auto start = StartOf(forecast);
  ::priority::v1::StartInterval interval;
  ToProto(*start, now_, &interval);
  return interval;
}

}  // namespace priorityd::rpc
