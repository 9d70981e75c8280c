#include "engine/forecast/conformal.h"

#include <algorithm>

namespace priorityd::forecast {

Conformal::Shift Conformal::ShiftOf(absl::string_view job_class) const {
  const auto found = classes_.find(job_class);
  const Shift& own = found == classes_.end() ? all_ : found->second;
  return {(all_.low + own.low) / 2, (all_.high + own.high) / 2};
}

void Conformal::Move(const Shift& by, Shift* shift) const {
  shift->low = std::clamp(shift->low + by.low, -options_.most, options_.most);
  shift->high = std::clamp(shift->high + by.high, -options_.most, options_.most);
}

void Conformal::Judge(absl::string_view job_class, bool below, bool above, double width) {
  const double step = options_.step * std::max(width, options_.narrowest);
  const Shift by = {below ? -.9 * step : .1 * step, above ? .9 * step : -.1 * step};
  // A class begins with what all have learned.
  if (classes_.size() < kMostClasses || classes_.contains(job_class)) {
    Move(by, &classes_.try_emplace(job_class, all_).first->second);
  }
  Move(by, &all_);
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
