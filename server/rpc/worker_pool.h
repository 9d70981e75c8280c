// Threads that run calls, so that none blocks gRPC's own.
#ifndef PRIORITYD_SERVER_RPC_WORKER_POOL_H_
#define PRIORITYD_SERVER_RPC_WORKER_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace priorityd::rpc {

// Calls that wait for a thread hold their requests in memory.
inline constexpr size_t kMaxQueuedCalls = 1000;

// What threads that run calls are doing.
struct PoolActivity {
  int threads = 0;
  int busy = 0;
  size_t queued = 0;  // That wait for a thread.
};

// Runs work in the order given. Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(int threads, size_t max_queued = kMaxQueuedCalls);
  // Finishes what was scheduled.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  PoolActivity activity() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Always taken: for work that continues what was begun, and whose number something else
  // bounds.
  void Schedule(std::function<void()> work);
  // Returns false, and does not run `work`, when max_queued wait for a thread already.
  bool TrySchedule(std::function<void()> work);

 private:
  void Run();
  // Waits for work; null at the end.
  std::function<void()> Next(bool has_worked) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_queued_;
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  int busy_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_WORKER_POOL_H_
