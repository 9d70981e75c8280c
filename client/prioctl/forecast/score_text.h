// The scores of a backtest, as text.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_SCORE_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_SCORE_TEXT_H_

#include <ostream>
#include <string>

#include "absl/types/span.h"
#include "engine/forecast/backtest.h"

namespace priorityd::prioctl {

// Prints scores of the lines after the first tenth: of all, by quarter, size, time limit and the
// number of jobs that the user had submitted before. `lines`: of the history.
void PrintScore(absl::Span<const forecast::RecordedJob> history,
                absl::Span<const forecast::BacktestLine> lines, std::ostream& out);

// A line of JSON: jobId, submitTime, q10, q25, q50, q75, q90 and startTime. Times are Unix seconds,
// quantiles seconds after the submission with a tenth; startTime is null for a job that did not
// start.
std::string LineJson(const forecast::RecordedJob& job, const forecast::BacktestLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_SCORE_TEXT_H_
