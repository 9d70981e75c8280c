#include "client/prioctl/replay/forecast_jobs.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "engine/forecast/score.h"

namespace priorityd::replay {
namespace {

// By nearest rank; 0 for none.
double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + (values.size() - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<forecast::RecordedJob> RecordedJobs(absl::Span<const laboratory::HistoryJob> jobs,
                                                const laboratory::Schedule& schedule) {
  std::vector<forecast::RecordedJob> recorded;
  for (size_t i = 0; i < jobs.size(); ++i) {
    forecast::RecordedJob& job = recorded.emplace_back();
    job.job = ForecastJobOf(jobs[i]);
    job.job.submit_time = absl::ToUnixSeconds(jobs[i].eligible);
    const std::optional<absl::Time>& start = schedule.starts[i];
    if (!start.has_value()) continue;
    job.start = absl::ToUnixSeconds(*start);
    job.end = absl::ToUnixSeconds(*start + jobs[i].run_time);
  }
  return recorded;
}

}  // namespace

forecast::Job ForecastJobOf(const laboratory::HistoryJob& job) {
  const absl::Duration limit = job.time_limit.value_or(absl::ZeroDuration());
  forecast::Job forecast;
  forecast.id = job.id;
  forecast.cpus = std::max(job.cpus, 1.0);
  forecast.limit =
      limit == absl::InfiniteDuration() ? 0 : std::max(absl::ToDoubleSeconds(limit), 0.0);
  forecast.user = job.user;
  forecast.account = job.account;
  forecast.partition = absl::StrJoin(job.partitions, ",");
  forecast.qos = job.qos;
  return forecast;
}

Forecasts ForecastsOf(absl::Span<const laboratory::HistoryJob> jobs,
                      const laboratory::Schedule& schedule, const laboratory::Period& period,
                      double cpus) {
  const auto lines = forecast::Backtest(RecordedJobs(jobs, schedule), {.capacity = cpus});
  forecast::Score score;
  std::vector<double> waits, lengths;
  size_t seen = 0;
  const auto in_period = [&](const forecast::BacktestLine& line) {
    return jobs[line.job].eligible >= period.begin;
  };
  const auto all = static_cast<size_t>(std::count_if(lines.begin(), lines.end(), in_period));
  for (const forecast::BacktestLine& line : lines) {
    if (!in_period(line) || seen++ < all / 10 || !line.scored.has_value()) continue;
    score.Add(*line.scored);
    waits.push_back(line.waits[forecast::kLevels.size() / 2]);
    lengths.push_back(line.waits.back() - line.waits.front());
  }
  if (score.count == 0) return {};
  const auto count = static_cast<double>(score.count);
  return {.jobs = score.count,
          .before_q10 = static_cast<double>(score.below) / count,
          .after_q90 = static_cast<double>(score.above) / count,
          .median_wait = MedianOf(std::move(waits)),
          .median_length = MedianOf(std::move(lengths))};
}

}  // namespace priorityd::replay
