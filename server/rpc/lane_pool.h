// Threads that run calls, one at a time of each cluster.
#ifndef PRIORITYD_SERVER_RPC_LANE_POOL_H_
#define PRIORITYD_SERVER_RPC_LANE_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::rpc {

// Runs the work of each lane in the order given and one at a time, so that a lane whose work
// waits for a lock takes one thread and no more. Lanes that have work take turns. Thread-safe.
class LanePool {
 public:
  explicit LanePool(int threads, size_t max_queued = kMaxQueuedCalls);

  // Returns false, and does not run `work`, when max_queued of all lanes wait already.
  bool TrySchedule(const std::string& lane, std::function<void()> work) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Runs what is next in a lane.
  void RunOne(const std::string& lane) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_queued_;
  absl::Mutex mutex_;
  // Those with work that waits or is at work.
  std::map<std::string, std::deque<std::function<void()>>> lanes_ ABSL_GUARDED_BY(mutex_);
  size_t queued_ ABSL_GUARDED_BY(mutex_) = 0;
  WorkerPool pool_;  // Finishes what was scheduled before the rest goes.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LANE_POOL_H_
