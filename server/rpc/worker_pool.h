// Threads that run calls, so that none blocks gRPC's own.
#ifndef PRIORITYD_SERVER_RPC_WORKER_POOL_H_
#define PRIORITYD_SERVER_RPC_WORKER_POOL_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace priorityd::rpc {

// Runs work in the order given. Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  // Finishes what was scheduled.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void Schedule(std::function<void()> work);

 private:
  void Run();

  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_WORKER_POOL_H_
