// The number of recent events.
#ifndef PRIORITYD_ENGINE_FORECAST_RECENT_TIMES_H_
#define PRIORITYD_ENGINE_FORECAST_RECENT_TIMES_H_

#include <algorithm>
#include <cstddef>
#include <deque>

#include "engine/forecast/job.h"

namespace priorityd::forecast {

// The last kMost events, none earlier than one before it.
class RecentTimes {
 public:
  static constexpr size_t kMost = 10'000;

  void Add(Seconds time) {
    times_.push_back(times_.empty() ? time : std::max(time, times_.back()));
    if (times_.size() > kMost) times_.pop_front();
  }
  // kMost stands for more.
  size_t CountSince(Seconds time) const {
    return times_.end() - std::lower_bound(times_.begin(), times_.end(), time);
  }

 private:
  std::deque<Seconds> times_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_RECENT_TIMES_H_
