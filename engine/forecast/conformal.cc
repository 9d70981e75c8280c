#include "engine/forecast/conformal.h"

#include <algorithm>

namespace priorityd::forecast {

namespace {

// After so many newer outcomes one has 1 / e of its weight in what a side missed lately.
constexpr double kMissedLife = 50;

}  // namespace

double Conformal::Haste(double missed) const { return std::clamp((missed - .2) / .05, 1.0, 10.0); }

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
  missed_.low += ((below ? 1 : 0) - missed_.low) / kMissedLife;
  missed_.high += ((above ? 1 : 0) - missed_.high) / kMissedLife;
  const double step = options_.step * std::max(width, options_.narrowest);
  const double low = step * Haste(missed_.low), high = step * Haste(missed_.high);
  const Shift by = {below ? -.9 * low : .1 * low, above ? .9 * high : -.1 * high};
  // A class begins with what all have learned.
  if (classes_.size() < kMostClasses || classes_.contains(job_class)) {
    Move(by, &classes_.try_emplace(job_class, all_).first->second);
  }
  Move(by, &all_);
}

void Conformal::Clear() {
  all_ = {};
  missed_ = {.1, .1};
  classes_.clear();
}

double Shifted(double quantile, double level, const Conformal::Shift& shift) {
  const double side = level < .5 ? shift.low : shift.high;
  const double distance = level < .5 ? .5 - level : level - .5;
  return quantile + side * distance / .4;
}

}  // namespace priorityd::forecast
