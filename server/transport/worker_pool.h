// Threads that run calls, so that calls never block gRPC's threads.
#ifndef PRIORITYD_SERVER_TRANSPORT_WORKER_POOL_H_
#define PRIORITYD_SERVER_TRANSPORT_WORKER_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"

namespace priorityd::rpc {

// Calls that wait for a thread hold their requests in memory.
inline constexpr size_t kMaxQueuedCalls = 1000;

// The quota of the threads and the places where calls wait for one.
quotas::Rule RuleOfCalls(int threads, size_t max_queued, const quotas::Parts& parts);

// A place for a caller, to keep during the call's work; errors as TrySchedule for a caller.
absl::StatusOr<std::shared_ptr<quotas::Share>> TakePlace(const quotas::Holder& caller,
                                                         quotas::Quota* calls);

// The RESOURCE_EXHAUSTED (SERVER_BUSY) error when too many calls wait for a pool.
absl::Status BusyError();

// A pool's `usage` under its own name: `calls_planning`.
inline quotas::Usage CallsOf(const std::string& pool, quotas::Usage usage) {
  usage.name += "_" + pool;
  return usage;
}

// The activity of a pool's threads.
struct PoolActivity {
  int threads = 0;
  int busy = 0;
  size_t queued = 0;  // Calls waiting for a thread.
};

// Runs work in order. Thread-safe.
class WorkerPool {
 public:
  // `parts`: one caller's part of the threads and of the places where calls wait for one.
  explicit WorkerPool(int threads, size_t max_queued = kMaxQueuedCalls,
                      const quotas::Parts& parts = {});
  // Finishes scheduled work.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  PoolActivity activity() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Always accepted: for work that continues started work and is bounded elsewhere.
  void Schedule(std::function<void()> work);
  // Returns false without running `work` if max_queued calls already wait for a thread.
  bool TrySchedule(std::function<void()> work);
  // The same for a caller, who holds a place until it has run. RESOURCE_EXHAUSTED with the time to
  // wait: QUOTA_EXCEEDED if the caller's part is used up, SERVER_BUSY if there is no room.
  absl::Status TrySchedule(const quotas::Holder& caller, std::function<void()> work);

  // The callers' use of the pool.
  quotas::Usage usage() const { return calls_.usage(); }

 private:
  void Run();
  // Waits for work; null at the end.
  std::function<void()> Next(bool has_worked) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_queued_;
  quotas::Quota calls_;
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  int busy_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_WORKER_POOL_H_
