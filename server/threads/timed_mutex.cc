#include "server/threads/timed_mutex.h"

namespace priorityd::threads {

bool TimedMutex::TryLockFor(absl::Duration patience) {
  const bool is_free = mutex_.LockWhenWithTimeout(absl::Condition(&is_free_), patience);
  if (is_free) is_free_ = false;
  mutex_.Unlock();
  return is_free;
}

void TimedMutex::Unlock() {
  absl::MutexLock lock(&mutex_);
  is_free_ = true;
}

}  // namespace priorityd::threads
