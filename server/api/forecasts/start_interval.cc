#include "server/api/forecasts/start_interval.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

std::optional<queue::ForecastStart> StartOf(forecasts::Book* book, const std::string& job_id,
                                            absl::Time now) {
  const auto forecast = book->Forecast(job_id, {absl::ToUnixSeconds(now), IntervalLevels()});
  return forecast.has_value() ? rpc::StartOf(*forecast) : std::nullopt;
}

// Whether a time has moved by less than a minute, or than a quarter of the wait until it. What is
// past counts as now.
bool IsNear(absl::Time before, absl::Time after, absl::Time now) {
  const absl::Time shown = std::max(after, now);
  const absl::Duration moved = absl::AbsDuration(shown - std::max(before, now));
  return moved < absl::Minutes(1) || 4 * moved < shown - now;
}

bool IsNear(const queue::ForecastStart& before, const queue::ForecastStart& after, absl::Time now) {
  return before.by_forest == after.by_forest && IsNear(before.q10, after.q10, now) &&
         IsNear(before.q50, after.q50, now) && IsNear(before.q90, after.q90, now);
}

}  // namespace

const std::vector<double>& IntervalLevels() {
  static const auto* const kLevels = new std::vector<double>{.1, .5, .9};
  return *kLevels;
}

std::optional<queue::ForecastStart> StartOf(const forecasts::JobForecast& forecast) {
  if (forecast.start.source == forecast::Source::kNothing) return std::nullopt;
  const auto at = [&](size_t level) {
    return absl::FromUnixSeconds(forecast.submit_time) +
           absl::Seconds(std::round(forecast.start.waits[level]));
  };
  const bool by_forest = forecast.start.source == forecast::Source::kForest;
  return queue::ForecastStart{at(0), at(1), at(2), by_forest};
}

void ToProto(const queue::ForecastStart& start, absl::Time now, v1::StartInterval* proto) {
  ToProto(std::max(start.q10, now), proto->mutable_q10_time());
  ToProto(std::max(start.q50, now), proto->mutable_q50_time());
  ToProto(std::max(start.q90, now), proto->mutable_q90_time());
  proto->set_source(start.by_forest ? v1::FORECAST_SOURCE_FOREST : v1::FORECAST_SOURCE_TABLE);
}

void SetIntervals(forecasts::Book* book, absl::Time now, v1::ListJobsResponse* response) {
  if (book == nullptr) return;
  for (v1::TrackedJob& tracked : *response->mutable_jobs()) {
    if (tracked.job().state() != v1::JOB_STATE_PENDING) continue;
    const auto start = StartOf(book, tracked.job().job_id(), now);
    if (start.has_value()) ToProto(*start, now, tracked.mutable_start_interval());
  }
}

void SetStarts(forecasts::Book* book, const queue::RankingTop* before, queue::RankingTop* top) {
  if (book == nullptr) return;
  absl::flat_hash_map<absl::string_view, const queue::ForecastStart*> known;
  if (before != nullptr) {
    for (const queue::TopRow& row : before->rows) {
      if (row.start.has_value()) known.emplace(row.job_id, &*row.start);
    }
  }
  absl::flat_hash_map<absl::string_view, std::optional<queue::ForecastStart>> of_jobs;
  for (queue::TopRow& row : top->rows) {
    const auto [of_job, is_new] = of_jobs.try_emplace(row.job_id);
    if (is_new) {
      of_job->second = StartOf(book, row.job_id, top->as_of);
      const auto old = known.find(row.job_id);
      const bool stays = of_job->second.has_value() && old != known.end() &&
                         IsNear(*old->second, *of_job->second, top->as_of);
      if (stays) of_job->second = *old->second;
    }
    row.start = of_job->second;
  }
}

}  // namespace priorityd::rpc
