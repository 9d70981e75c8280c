// Threads that run calls, so that calls never block gRPC's threads, in turns by caller.
#ifndef PRIORITYD_SERVER_TRANSPORT_WORKER_POOL_H_
#define PRIORITYD_SERVER_TRANSPORT_WORKER_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/threads/periodic_thread.h"
#include "server/threads/turns.h"

namespace priorityd::rpc {

// Calls that wait for a thread hold their requests in memory.
inline constexpr size_t kMaxQueuedCalls = 1000;

// The RESOURCE_EXHAUSTED (SERVER_BUSY) error when too many calls wait for a pool.
absl::Status BusyError();

// The activity of a pool's threads.
struct PoolActivity {
  int threads = 0;
  int busy = 0;
  size_t queued = 0;  // Calls waiting for a thread.
};

// Runs the work of lanes, which take turns; in a lane its callers take turns, and the work of one
// caller starts in order. A lane never has all threads of a pool with several, so that a thread is
// free for another lane. Work that would wait for a lock returns its thread and is run again later,
// so that any number of waiting lanes occupies no thread. Thread-safe.
class WorkerPool {
 public:
  struct Options {
    int threads = 1;
    size_t max_queued = kMaxQueuedCalls;
    // One caller's part of the threads and of the places where calls wait for one.
    quotas::Parts parts = {};
    // A lane runs one piece of work at a time, in order.
    bool one_at_a_time = false;
    // The threads run when others leave a CPU idle.
    bool in_background = false;
  };
  // Returns false if it would wait: it is run again after a pause, before the rest of its lane.
  using Work = std::function<bool()>;

  explicit WorkerPool(Options options);
  // Finishes scheduled work.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  // Pausing work counts as waiting.
  PoolActivity activity() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The callers' use of the pool.
  quotas::Usage usage() const { return calls_.usage(); }

  // Always accepted: for work that continues started work and is bounded elsewhere.
  void Schedule(const std::string& lane, std::function<void()> work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns false without running `work` if there is no room. A lane may hold at most as much as is
  // left of max_queued, so that room is left for others.
  bool TrySchedule(const std::string& lane, Work work) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same for a caller, who holds a place until it has run. RESOURCE_EXHAUSTED with the time to
  // wait: QUOTA_EXCEEDED if the caller's part is used up, SERVER_BUSY if there is no room.
  absl::Status TrySchedule(const quotas::Holder& caller, const std::string& lane, Work work)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until no work is scheduled or running.
  void AwaitIdle() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Lane {
    threads::Turns<Work> waiting;
    std::deque<Work> again;  // Would have waited.
    int tries = 0;           // Of the first of them.
    int running = 0;
    bool is_ready = false;  // In fresh_ or again_.
    bool rests = false;

    bool has_work() const { return !waiting.empty() || !again.empty(); }
  };
  using Lanes = std::map<std::string, Lane>;
  struct Turn {
    Lanes::iterator lane;
    Work work;  // Null = the end.
  };

  bool Add(const std::string& caller, const std::string& lane, Work work, size_t max_queued)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Run();
  // Waits for the next turn.
  Turn Next() ABSL_LOCKS_EXCLUDED(mutex_);
  void Finish(Turn turn, bool is_done) ABSL_LOCKS_EXCLUDED(mutex_);
  // Lets the lane take a turn if it has work that may run.
  void Offer(Lanes::iterator lane, std::deque<Lanes::iterator>* ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Lanes::iterator TakeReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Rest(Lanes::iterator lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends pauses; returns when the next one ends.
  absl::Time EndRests() ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsIdle() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return lanes_.empty(); }

  const Options options_;
  const int of_lane_;  // The most threads of a lane.
  quotas::Quota calls_;
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  // With waiting or running work.
  Lanes lanes_ ABSL_GUARDED_BY(mutex_);
  size_t queued_ ABSL_GUARDED_BY(mutex_) = 0;
  int busy_ ABSL_GUARDED_BY(mutex_) = 0;
  // Lanes whose next work may run: for the first time, and again.
  std::deque<Lanes::iterator> fresh_ ABSL_GUARDED_BY(mutex_);
  std::deque<Lanes::iterator> again_ ABSL_GUARDED_BY(mutex_);
  int turns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::multimap<absl::Time, Lanes::iterator> resting_ ABSL_GUARDED_BY(mutex_);
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
  threads::PeriodicThread waker_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_WORKER_POOL_H_
