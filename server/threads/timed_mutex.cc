#include "server/threads/timed_mutex.h"

#include <algorithm>
#include <utility>

namespace priorityd::threads {
namespace {

// Patience may be infinite, which the standard library's clocks cannot represent.
constexpr absl::Duration kLongestPatience = absl::Hours(24);

}  // namespace

bool TimedMutex::TryLockFor(absl::Duration patience) {
  const auto is_free = [this] { return is_free_; };
  std::unique_lock<std::mutex> lock(mutex_);
  if (patience == absl::InfiniteDuration()) changed_.wait(lock, is_free);
  const auto longest = absl::ToChronoNanoseconds(std::min(patience, kLongestPatience));
  return changed_.wait_for(lock, longest, is_free) && std::exchange(is_free_, false);
}

void TimedMutex::Unlock() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_free_ = true;
  changed_.notify_one();
}

}  // namespace priorityd::threads
