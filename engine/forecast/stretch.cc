#include "engine/forecast/stretch.h"

#include <algorithm>
#include <cstddef>

#include "engine/forecast/features.h"
#include "engine/forecast/scale.h"

namespace priorityd::forecast {
namespace {

constexpr double kUsualPart = .95;     // Of the examples.
constexpr double kLeastWork = 3600;    // A shorter queue is not long, whatever is usual.
constexpr double kArrivalsAhead = .5;  // Of what the cluster can do.

}  // namespace

Stretch::Stretch(absl::Span<const Example> examples) {
  if (examples.empty()) return;
  std::vector<float> work;
  for (const Example& example : examples) work.push_back(example.row[kQueueExpectedWork]);
  const auto place =
      work.begin() + static_cast<size_t>(kUsualPart * static_cast<double>(work.size() - 1));
  std::nth_element(work.begin(), place, work.end());
  most_usual_ = std::max<double>(*place, kLeastWork);
}

double Stretch::Of(const Row& row, double earliest) const {
  if (most_usual_ == 0) return 1;
  const double work = row[kQueueExpectedWork] + kArrivalsAhead * earliest;
  return std::max(work / most_usual_, 1.0);
}

double Stretched(double quantile, double level, double multiple) {
  if (multiple <= 1) return quantile;
  return ToScale(FromScale(quantile) * Exp(std::min(level / .9, 1.0) * Log(multiple)));
}

}  // namespace priorityd::forecast
