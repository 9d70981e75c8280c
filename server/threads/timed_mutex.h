// A mutex that one can stop waiting for.
#ifndef PRIORITYD_SERVER_THREADS_TIMED_MUTEX_H_
#define PRIORITYD_SERVER_THREADS_TIMED_MUTEX_H_

#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"

namespace priorityd::threads {

// For what may be held for as long as the database takes. Not reentrant.
class ABSL_LOCKABLE TimedMutex {
 public:
  // Whether it was got within that time: 0 = if it is free now, infinite = always.
  bool TryLockFor(absl::Duration patience) ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true);
  void Unlock() ABSL_UNLOCK_FUNCTION();
  // Tells the thread safety analysis what it cannot see.
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  // The standard library's, for which PeriodicThread tells the reason.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_free_ = true;  // Guarded by mutex_.
};

// Holds one until the end of the scope; what is guarded may be touched only if is_held().
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
