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

// Runs work in the order given. Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(int threads, size_t max_queued = kMaxQueuedCalls);
  // Finishes what was scheduled.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }

  // Always taken: for work that continues what was begun, and whose number something else
  // bounds.
  void Schedule(std::function<void()> work);
  // Returns false, and does not run `work`, when max_queued wait for a thread already.
  bool TrySchedule(std::function<void()> work);

 private:
  void Run();

  const size_t max_queued_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_WORKER_POOL_H_
