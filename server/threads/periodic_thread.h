// A thread that calls a function when it is due.
#ifndef PRIORITYD_SERVER_THREADS_PERIODIC_THREAD_H_
#define PRIORITYD_SERVER_THREADS_PERIODIC_THREAD_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "server/threads/clock.h"

namespace priorityd::threads {

// Runs turns, that is calls of a function, one after another; waits between turns until the next
// one is due or Wake is called. Thread-safe, except Start and Stop.
class PeriodicThread {
 public:
  // Runs one turn and returns the due time of the next one. InfinitePast() = at once,
  // InfiniteFuture() = at the next Wake.
  using Turn = std::function<absl::Time()>;

  // `clock`: the clock of due times.
  explicit PeriodicThread(Clock clock);
  // Stops.
  ~PeriodicThread();
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

  // Starts the thread; the first turn runs at once. Call at most once.
  void Start(Turn turn);

  // Makes the next turn due now; a running turn is followed by another one. Does not wait.
  void Wake();

  // Call after setting the clock: a turn that is due runs at once.
  void CheckClock();

  // Prevents further turns and makes Sleep return at once. Does not wait.
  void RequestStop();

  // RequestStop, then waits for the running turn. Later calls do nothing. REQUIRES: not called
  // within a turn.
  void Stop();

  // Whether RequestStop was called: a long turn then returns soon.
  bool MustStop();

  // Waits within a turn; Wake does not end the wait. False if the thread must stop.
  bool Sleep(absl::Duration duration);

 private:
  void Run(const Turn& turn);
  // False if the thread must stop.
  bool AwaitTurn(absl::Time due);
  // Waits until `until` or a signal of `changed_`; false if `until` has passed.
  bool WaitOnce(std::unique_lock<std::mutex>& lock, absl::Time until);

  const Clock clock_;
  // The standard library's mutex and condition wait by the steady clock. Abseil's wait by the
  // host's clock: setting it back an hour would make a wait an hour longer.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;  // Both are guarded by mutex_.
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_PERIODIC_THREAD_H_
