// The quality of past forecasts.
#ifndef PRIORITYD_ENGINE_FORECAST_SCORE_H_
#define PRIORITYD_ENGINE_FORECAST_SCORE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace priorityd::forecast {

// The levels that are always forecast and scored.
inline constexpr std::array<double, 5> kLevels = {.10, .25, .50, .75, .90};
// By level, on the scale of ToScale.
using LevelValues = std::array<double, kLevels.size()>;

// The loss of a quantile. Koenker, Bassett, "Regression quantiles", Econometrica 46 (1978). At
// least 0, in the unit of the values.
double PinballLoss(double level, double quantile, double outcome);
// The mean of the losses at .1, .5 and .9.
double MeanPinballLoss(const LevelValues& quantiles, double outcome);

// A forecast that was published, the two references of the same moment, and its outcome.
struct Scored {
  LevelValues published{};
  LevelValues table{};
  LevelValues qbets{};
  double wait = 0;  // Seconds.
};

// Sums over scored forecasts.
struct Score {
  int64_t count = 0;
  std::array<int64_t, kLevels.size()>
      held{};         // Jobs that started by the quantile, or a second later.
  int64_t below = 0;  // Jobs that started over a second before q10.
  int64_t above = 0;  // Jobs that started over a second after q90.
  // Of MeanPinballLoss.
  double loss = 0;
  double table_loss = 0;
  double qbets_loss = 0;

  void Add(const Scored& scored);
  Score& operator+=(const Score& other);
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_SCORE_H_
