// Walks through a recorded history strictly forward, as a forecaster would have lived it.
#ifndef PRIORITYD_ENGINE_FORECAST_BACKTEST_H_
#define PRIORITYD_ENGINE_FORECAST_BACKTEST_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "engine/forecast/forecaster.h"
#include "engine/forecast/job.h"
#include "engine/forecast/score.h"

namespace priorityd::forecast {

// A job of a history. Unset: it has not happened by the end of the history. Times are not before
// the submit time, an end not before a start.
struct RecordedJob {
  Job job;
  std::optional<Seconds> start;
  std::optional<Seconds> end;     // Of its run.
  std::optional<Seconds> cancel;  // While it waited; without a start.
};

// What was forecast for a job when it was submitted. Quantiles by kLevels: seconds after the
// submission.
struct BacktestLine {
  size_t job = 0;  // Its index in the history.
  std::array<double, kLevels.size()> waits{};
  Source source = Source::kNothing;
  int64_t model = 0;
  std::optional<Outcome> outcome;  // Unset: it did not start.
};

// Lines in the order of submission; jobs of one second in the order of the history. What is known
// at a line is what a history cut at that second has: lines up to a cut are the same. Trains as it
// goes. `progress` is called after each job, with the number of lines so far.
//
// A stable sort by submit time orders the history first.
std::vector<BacktestLine> Backtest(
    absl::Span<const RecordedJob> history, const ForecasterOptions& options,
    absl::FunctionRef<void(size_t done)> progress = [](size_t) {});

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_BACKTEST_H_
