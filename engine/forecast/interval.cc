#include "engine/forecast/interval.h"

#include <algorithm>

namespace priorityd::forecast {

std::vector<double> WithScoredLevels(absl::Span<const double> levels) {
  std::vector<double> all(levels.begin(), levels.end());
  all.insert(all.end(), kLevels.begin(), kLevels.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void Correct(absl::Span<const double> levels, const Conformal::Shift& shift, double least,
             std::vector<double>* quantiles) {
  std::vector<double>& values = *quantiles;
  const size_t median = std::lower_bound(levels.begin(), levels.end(), .5) - levels.begin();
  for (size_t i = 0; i < values.size(); ++i) {
    const double shifted = Shifted(values[i], levels[i], shift);
    const double half_way = (values[i] + values[median]) / 2;
    values[i] = i < median ? std::min(shifted, half_way) : shifted;
  }
  // Below the median what is lower down counts, above it what is higher up: the correction has
  // learned q10 and q90.
  for (size_t i = 0; i < median; ++i) {
    values[i] = std::min(i == 0 ? values[i] : std::max(values[i], values[i - 1]), values[median]);
  }
  for (size_t i = values.size(); i-- > median + 1;) {
    const bool is_last = i + 1 == values.size();
    values[i] = std::max(is_last ? values[i] : std::min(values[i], values[i + 1]), values[median]);
  }
  for (double& value : values) value = std::max(value, least);
}

LevelValues AtScoredLevels(absl::Span<const double> levels, absl::Span<const double> quantiles) {
  LevelValues values{};
  for (size_t i = 0; i < kLevels.size(); ++i) {
    const auto place = std::lower_bound(levels.begin(), levels.end(), kLevels[i]);
    values[i] = quantiles[place - levels.begin()];
  }
  return values;
}

}  // namespace priorityd::forecast
