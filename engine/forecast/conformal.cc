#include "engine/forecast/conformal.h"

#include <algorithm>

namespace priorityd::forecast {

namespace {

// After so many newer outcomes one has 1 / e of its weight in what a side missed lately.
constexpr double kMissedLife = 50;

// The multiple of the step for a side that missed so large a part lately: 1 up to .25, 10 from .7
// on.
double Haste(double missed) { return std::clamp((missed - .2) / .05, 1.0, 10.0); }

}  // namespace

Conformal::Shift Conformal::ShiftOf(absl::string_view job_class) const {
  const auto found = classes_.find(job_class);
  const Shift& own = found == classes_.end() ? all_.shift : found->second.shift;
  return {(all_.shift.low + own.low) / 2, (all_.shift.high + own.high) / 2};
}

void Conformal::Learn(bool below, bool above, double step, Learned* learned) const {
  Shift& missed = learned->missed;
  missed.low += ((below ? 1 : 0) - missed.low) / kMissedLife;
  missed.high += ((above ? 1 : 0) - missed.high) / kMissedLife;
  const double low = step * Haste(missed.low), high = step * Haste(missed.high);
  const auto move = [&](double by, double* shift) {
    *shift = std::clamp(*shift + by, -options_.most, options_.most);
  };
  move(below ? -.9 * low : .1 * low, &learned->shift.low);
  move(above ? .9 * high : -.1 * high, &learned->shift.high);
}

void Conformal::Judge(absl::string_view job_class, bool below, bool above, double width) {
  const double step = options_.step * std::max(width, options_.narrowest);
  // A class begins with what all have learned.
  if (classes_.size() < kMostClasses || classes_.contains(job_class)) {
    Learn(below, above, step, &classes_.try_emplace(job_class, all_).first->second);
  }
  Learn(below, above, step, &all_);
}

void Conformal::Clear() {
  all_ = {};
  classes_.clear();
}

double Shifted(double quantile, double level, const Conformal::Shift& shift) {
  const double side = level < .5 ? shift.low : shift.high;
  const double distance = level < .5 ? .5 - level : level - .5;
  return quantile + side * distance / .4;
}

}  // namespace priorityd::forecast
