#include "engine/forecast/release_curve.h"

#include <algorithm>

namespace priorityd::forecast {

ReleaseCurve::ReleaseCurve(double free, std::vector<std::pair<float, float>> releases)
    : free_(free) {
  std::sort(releases.begin(), releases.end());
  for (const auto& [time, cpus] : releases) {
    work_ += static_cast<double>(time) * cpus;
    times_.push_back(time);
    free_after_.push_back(free += cpus);
  }
}

double ReleaseCurve::UntilFree(double cpus) const {
  if (free_ >= cpus || times_.empty()) return 0;
  const auto place = std::lower_bound(free_after_.begin(), free_after_.end(), cpus);
  if (place == free_after_.end()) return times_.back() * 1.5 + 60;
  return times_[place - free_after_.begin()];
}

double ReleaseCurve::FreeAt(double seconds) const {
  const auto place = std::upper_bound(times_.begin(), times_.end(), seconds);
  return place == times_.begin() ? free_ : free_after_[place - times_.begin() - 1];
}

}  // namespace priorityd::forecast
