#include "server/threads/database_clock.h"

#include <algorithm>

namespace priorityd::threads {
namespace {

// Maximum drift rate between two clocks that are not set; NTP adjusts by up to .0005.
constexpr double kDrift = .001;

}  // namespace

void DatabaseClock::Note(absl::Time sent, absl::Time time) {
  const absl::Time received = real_();
  Range range = {.low = time - received, .high = time - sent};
  absl::MutexLock lock(&mutex_);
  if (was_read_) {
    const absl::Duration drift = kDrift * (received - read_at_);
    const Range before = {.low = range_.low - drift, .high = range_.high + drift};
    const bool agree = before.low <= range.high && range.low <= before.high;
    // Otherwise the clock was set, or another server answered.
    if (agree) range = {std::max(range.low, before.low), std::min(range.high, before.high)};
  }
  was_read_ = true;
  read_at_ = received;
  range_ = range;
}

absl::Time DatabaseClock::Now() const {
  absl::MutexLock lock(&mutex_);
  if (!was_read_) return host_();
  return real_() + (range_.low + range_.high) / 2;
}

absl::Duration DatabaseClock::HostIsAhead() const {
  absl::MutexLock lock(&mutex_);
  if (!was_read_) return absl::ZeroDuration();
  const absl::Duration ahead = host_() - real_();
  if (ahead > range_.high) return ahead - range_.high;
  return std::min(ahead - range_.low, absl::ZeroDuration());
}

}  // namespace priorityd::threads
