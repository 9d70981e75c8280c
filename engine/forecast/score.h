// How good forecasts were.
#ifndef PRIORITYD_ENGINE_FORECAST_SCORE_H_
#define PRIORITYD_ENGINE_FORECAST_SCORE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace priorityd::forecast {

// The levels that are always forecast and scored.
inline constexpr std::array<double, 5> kLevels = {.10, .25, .50, .75, .90};

// The loss of a quantile forecast on the scale of ToScale. Koenker, Bassett, "Regression
// quantiles", Econometrica 46 (1978).
double PinballLoss(double level, double forecast, double outcome);
// The mean of the losses at .1, .5 and .9. `quantiles`: by kLevels, on the scale.
double MeanPinballLoss(absl::Span<const double> quantiles, double outcome);

// Tallies of scored forecasts. A sum of two is the tally of both.
struct Score {
  int64_t count = 0;
  std::array<int64_t, kLevels.size()> at_most{};  // Jobs that started at this quantile or before.
  int64_t below_q10 = 0;  // Jobs that started more than a second before q10.
  int64_t above_q90 = 0;  // Jobs that started more than a second after q90.
  double loss = 0;        // Sums of MeanPinballLoss.
  double table_loss = 0;
  double qbets_loss = 0;

  Score& operator+=(const Score& other);
};

// A forecast and what came of it, on the scale. Quantiles by kLevels.
struct Scored {
  std::array<double, kLevels.size()> published;
  std::array<double, kLevels.size()> table;
  std::array<double, kLevels.size()> qbets;
  double wait = 0;  // Seconds.
};
Score ScoreOf(const Scored& scored);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_SCORE_H_
