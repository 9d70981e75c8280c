#include "engine/forecast/score.h"

#include <algorithm>

#include "engine/forecast/scale.h"

namespace priorityd::forecast {

double PinballLoss(double level, double quantile, double outcome) {
  return std::max(level * (outcome - quantile), (1 - level) * (quantile - outcome));
}

double MeanPinballLoss(const LevelValues& quantiles, double outcome) {
  double sum = 0;
  for (const size_t i : {0, 2, 4}) sum += PinballLoss(kLevels[i], quantiles[i], outcome);
  return sum / 3;
}

void Score::Add(const Scored& scored) {
  const double y = ToScale(scored.wait);
  ++count;
  for (size_t i = 0; i < kLevels.size(); ++i) {
    held[i] += scored.wait <= FromScale(scored.published[i]) + 1;
  }
  below += scored.wait < FromScale(scored.published.front()) - 1;
  above += scored.wait > FromScale(scored.published.back()) + 1;
  loss += MeanPinballLoss(scored.published, y);
  table_loss += MeanPinballLoss(scored.table, y);
  qbets_loss += MeanPinballLoss(scored.qbets, y);
}

Score& Score::operator+=(const Score& other) {
  count += other.count;
  for (size_t i = 0; i < held.size(); ++i) held[i] += other.held[i];
  below += other.below;
  above += other.above;
  loss += other.loss;
  table_loss += other.table_loss;
  qbets_loss += other.qbets_loss;
  return *this;
}

}  // namespace priorityd::forecast
