// Walks through a recorded history strictly forward, as a forecaster would have lived it.
#ifndef PRIORITYD_ENGINE_FORECAST_BACKTEST_H_
#define PRIORITYD_ENGINE_FORECAST_BACKTEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "engine/forecast/forecaster.h"
#include "engine/forecast/job.h"
#include "engine/forecast/score.h"

namespace priorityd::forecast {

// A job of a history. Unset: it had not happened when the history ended. Times that are before
// those of what precedes them count as these.
struct RecordedJob {
  Job job;
  std::optional<Seconds> start;
  std::optional<Seconds> end;     // Of its run; without a start it is not read.
  std::optional<Seconds> cancel;  // While it waited; with a start it is not read.
};

// The forecast for a job at its submission.
struct BacktestLine {
  size_t job = 0;       // Its index in the history.
  LevelValues waits{};  // By kLevels: seconds after the submission.
  Source source = Source::kNothing;
  int64_t model = 0;
  std::optional<Scored> scored;  // Unset: it did not start.
};

// A line for each job whose cpus are above 0 and limit is not below 0, in the order of submission;
// jobs of one second in the order of the history. A line comes from the submissions before it and
// from the starts, ends and cancellations of earlier seconds: a history that was cut at any time
// has the same lines up to then. Trains as it goes. Ids need not be unique. `progress` is called
// after each line.
std::vector<BacktestLine> Backtest(
    absl::Span<const RecordedJob> history, const ForecasterOptions& options,
    absl::FunctionRef<void(size_t lines)> progress = [](size_t) {});

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_BACKTEST_H_
