// A thread that works in turns.
#ifndef PRIORITYD_SERVER_THREADS_PERIODIC_THREAD_H_
#define PRIORITYD_SERVER_THREADS_PERIODIC_THREAD_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "server/threads/clock.h"

namespace priorityd::threads {

// Calls a function, one turn after another, and waits between turns until the next
// one is due or Wake is called. Thread-safe, but for Start and Stop.
class PeriodicThread {
 public:
  // One turn; returns when the next one is due. InfinitePast() = at once,
  // InfiniteFuture() = when it is woken.
  using Turn = std::function<absl::Time()>;

  // `clock`: what due times are compared with.
  explicit PeriodicThread(Clock clock);
  // Stops.
  ~PeriodicThread();
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

  // Starts the thread, whose first turn comes at once. Call once at most.
  void Start(Turn turn);

  // The next turn comes at once; the one at work, if any, is followed by another one.
  // Returns at once.
  void Wake();

  // A clock that was set calls it: a turn that is due by now comes at once.
  void CheckClock();

  // No turn begins after this one, and Sleep returns at once. Returns at once.
  void RequestStop();

  // RequestStop, then waits for the turn at work. Later calls do nothing. REQUIRES: not
  // called within a turn.
  void Stop();

  // Waits within a turn; Wake does not end it. False if the thread is to stop.
  bool Sleep(absl::Duration duration);

 private:
  void Run(const Turn& turn);
  // False if the thread is to stop.
  bool AwaitTurn(absl::Time due);
  // Waits until `until`, or for `changed_`; false when it is `until` already.
  bool WaitOnce(std::unique_lock<std::mutex>& lock, absl::Time until);

  const Clock clock_;
  // The standard library's, which time their waits by the steady clock: those of Abseil go by the
  // host's, and one that is set back by an hour would make a wait an hour longer.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;  // Both are guarded by mutex_.
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_PERIODIC_THREAD_H_
