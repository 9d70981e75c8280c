// The waits of jobs, by the hour of the day at which they were submitted.
#ifndef PRIORITYD_ENGINE_FORECAST_WAITS_BY_HOUR_H_
#define PRIORITYD_ENGINE_FORECAST_WAITS_BY_HOUR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "engine/forecast/backtest.h"
#include "engine/forecast/job.h"

namespace priorityd::forecast {

inline constexpr size_t kHours = 24;

struct TypicalWait {
  int64_t count = 0;  // Submissions: jobs of one user in one second count once.
  // Seconds until half of them, and nine of ten, had started; unset where so many did not start
  // while they were seen.
  std::optional<double> half;
  std::optional<double> nine_of_ten;
};

struct WaitsByHour {
  TypicalWait all;
  std::array<TypicalWait, kHours> hours;
};

// Quantiles of the waits of the jobs for which `wanted` is true. `hour_of`: 0 to 23, of a submit
// time. A submission starts when the first of its jobs does. One that was cancelled, or still
// waited when the history ended, is censored: it waited for at least that long. Kaplan, Meier,
// "Nonparametric estimation from incomplete observations", JASA 53 (1958).
WaitsByHour FindWaitsByHour(absl::Span<const RecordedJob> history,
                            absl::FunctionRef<bool(const Job&)> wanted,
                            absl::FunctionRef<int(Seconds)> hour_of);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_WAITS_BY_HOUR_H_
