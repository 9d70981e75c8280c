// How often something happened in the last minute.
#ifndef PRIORITYD_SERVER_STATUS_MINUTE_RATES_H_
#define PRIORITYD_SERVER_STATUS_MINUTE_RATES_H_

#include <array>
#include <cstdint>
#include <deque>
#include <utility>

#include "absl/time/time.h"

namespace priorityd::status {

// Of kCounts counters that only grow, looked at from time to time. Not thread-safe.
template <size_t kCounts>
class MinuteRates {
 public:
  using Counts = std::array<int64_t, kCounts>;
  using Rates = std::array<double, kCounts>;  // Per second.

  // The counters stand so at `now`, which does not go back.
  void Note(absl::Time now, const Counts& counts) {
    looks_.emplace_back(now, counts);
    while (looks_.size() > 2 && looks_[1].first <= now - absl::Minutes(1)) looks_.pop_front();
  }

  // Between the looks a minute apart, or as far apart as there are; 0 before there are two.
  Rates PerSecond() const {
    Rates rates = {};
    if (looks_.empty()) return rates;
    const double seconds = absl::ToDoubleSeconds(looks_.back().first - looks_.front().first);
    if (seconds <= 0) return rates;
    for (size_t i = 0; i < kCounts; ++i) {
      rates[i] = static_cast<double>(looks_.back().second[i] - looks_.front().second[i]) / seconds;
    }
    return rates;
  }

 private:
  std::deque<std::pair<absl::Time, Counts>> looks_;
};

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_MINUTE_RATES_H_
