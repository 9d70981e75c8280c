#include "engine/forecast/prior.h"

#include <algorithm>
#include <cmath>

#include "engine/forecast/scale.h"

namespace priorityd::forecast {
namespace {

constexpr double kMedian = 3600;

}  // namespace

// P(wait > w) = 1 / (1 + sqrt(w / median)); solved for the part 1 - level of those above `age`.
double PriorQuantile(double level, double age) {
  const double odds = (1 + std::sqrt(age / kMedian)) / (1 - level) - 1;
  return std::min(kMedian * odds * odds, kLongestWait);
}

}  // namespace priorityd::forecast
