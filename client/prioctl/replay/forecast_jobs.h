// The jobs of a history as forecasts learn them, and how well a schedule could have been forecast.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_FORECAST_JOBS_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_FORECAST_JOBS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "engine/forecast/backtest.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/measures.h"

namespace priorityd::replay {

// Without its submit time.
forecast::Job ForecastJobOf(const laboratory::HistoryJob& job);

// The scores of forecasts at the submissions of a schedule, by engine/forecast's Backtest.
struct Forecasts {
  int64_t jobs = 0;          // Forecast and started: those of the period after its first tenth.
  double before_q10 = 0;     // The part that started over a second before its 10 % quantile.
  double after_q90 = 0;      // The part that started over a second after its 90 % quantile.
  double median_wait = 0;    // The median of the forecast median waits, in seconds.
  double median_length = 0;  // The median time between these two quantiles, in seconds.
};

// `cpus`: of the cluster. All 0 if no job is scored.
Forecasts ForecastsOf(absl::Span<const laboratory::HistoryJob> jobs,
                      const laboratory::Schedule& schedule, const laboratory::Period& period,
                      double cpus);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_FORECAST_JOBS_H_
