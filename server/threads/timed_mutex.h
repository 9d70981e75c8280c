// A mutex with a time limit for locking.
#ifndef PRIORITYD_SERVER_THREADS_TIMED_MUTEX_H_
#define PRIORITYD_SERVER_THREADS_TIMED_MUTEX_H_

#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"

namespace priorityd::threads {

// For state that is locked during database calls. Not reentrant.
class ABSL_LOCKABLE TimedMutex {
 public:
  // Whether the lock was acquired within `patience`: 0 = only if it is free now, infinite = always.
  bool TryLockFor(absl::Duration patience) ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true);
  void Unlock() ABSL_UNLOCK_FUNCTION();
  // Informs the thread safety analysis.
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  // The standard library's, for the reason given in PeriodicThread.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_free_ = true;  // Guarded by mutex_.
};

// Holds a TimedMutex until the end of the scope; access guarded members only if is_held().
class ABSL_SCOPED_LOCKABLE TimedMutexLock {
 public:
  explicit TimedMutexLock(TimedMutex* mutex, absl::Duration patience = absl::InfiniteDuration())
      ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex), is_held_(mutex->TryLockFor(patience)) {}
  ~TimedMutexLock() ABSL_UNLOCK_FUNCTION() {
    if (is_held_) mutex_->Unlock();
  }
  TimedMutexLock(const TimedMutexLock&) = delete;
  TimedMutexLock& operator=(const TimedMutexLock&) = delete;

  bool is_held() const { return is_held_; }

 private:
  TimedMutex* const mutex_;
  const bool is_held_;
};

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_TIMED_MUTEX_H_
