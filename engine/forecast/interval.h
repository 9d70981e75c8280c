// Quantiles at many levels at once, kept in order.
#ifndef PRIORITYD_ENGINE_FORECAST_INTERVAL_H_
#define PRIORITYD_ENGINE_FORECAST_INTERVAL_H_

#include <vector>

#include "absl/types/span.h"
#include "engine/forecast/conformal.h"
#include "engine/forecast/score.h"

namespace priorityd::forecast {

// The levels and kLevels, ascending, each once.
std::vector<double> WithScoredLevels(absl::Span<const double> levels);

// Shifts the quantiles, those below the median up by at most half of the way to it: while waits are
// long, q10 rises for days before the first job can start below it. Puts them in order where they
// are not: q10, q50 and q90 remain, those between two of them are limited by these. At least
// `least`. `levels`: of WithScoredLevels.
void Correct(absl::Span<const double> levels, const Conformal::Shift& shift, double least,
             std::vector<double>* quantiles);

// The values at kLevels. `levels`: of WithScoredLevels.
LevelValues AtScoredLevels(absl::Span<const double> levels, absl::Span<const double> quantiles);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_INTERVAL_H_
