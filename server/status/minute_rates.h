// Rates of events over the last minute.
#ifndef PRIORITYD_SERVER_STATUS_MINUTE_RATES_H_
#define PRIORITYD_SERVER_STATUS_MINUTE_RATES_H_

#include <array>
#include <cstdint>
#include <deque>
#include <utility>

#include "absl/time/time.h"

namespace priorityd::status {

// Rates of kCounts monotonic counters that are sampled from time to time. Not thread-safe.
template <size_t kCounts>
class MinuteRates {
 public:
  using Counts = std::array<int64_t, kCounts>;
  using Rates = std::array<double, kCounts>;  // Per second.

  // Adds a sample taken at `now`, which must not decrease.
  void Note(absl::Time now, const Counts& counts) {
    samples_.emplace_back(now, counts);
    while (samples_.size() > 2 && samples_[1].first <= now - absl::Minutes(1)) samples_.pop_front();
  }

  // The rates over the last minute, or over the available samples; 0 before there are two.
  Rates PerSecond() const {
    Rates rates = {};
    if (samples_.empty()) return rates;
    const double seconds = absl::ToDoubleSeconds(samples_.back().first - samples_.front().first);
    if (seconds <= 0) return rates;
    for (size_t i = 0; i < kCounts; ++i) {
      rates[i] =
          static_cast<double>(samples_.back().second[i] - samples_.front().second[i]) / seconds;
    }
    return rates;
  }

 private:
  std::deque<std::pair<absl::Time, Counts>> samples_;
};

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_MINUTE_RATES_H_
