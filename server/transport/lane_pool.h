// Threads that run calls, one at a time per cluster.
#ifndef PRIORITYD_SERVER_TRANSPORT_LANE_POOL_H_
#define PRIORITYD_SERVER_TRANSPORT_LANE_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/threads/periodic_thread.h"
#include "server/transport/worker_pool.h"

namespace priorityd::rpc {

// Runs the work of each lane in order, one piece at a time. Work that would wait for a lock returns
// its thread and is run again later, so that any number of waiting lanes occupies no thread. Lanes
// with work take turns. Thread-safe.
class LanePool {
 public:
  // Returns false if it would wait: it is run again after a pause, before the rest of its lane.
  using Work = std::function<bool()>;

  // `parts`: see WorkerPool.
  explicit LanePool(int threads, size_t max_queued = kMaxQueuedCalls,
                    const quotas::Parts& parts = {});
  // Finishes scheduled work.
  ~LanePool();

  // Returns false without running `work` if there is no room. A lane may hold at most as much as is
  // left of max_queued, so that room is left for others.
  bool TrySchedule(const std::string& lane, Work work) ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for a caller; see WorkerPool::TrySchedule.
  absl::Status TrySchedule(const quotas::Holder& caller, const std::string& lane, Work work)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The callers' use of the pool.
  quotas::Usage usage() const { return calls_.usage(); }

  // Pausing work counts as waiting.
  PoolActivity activity() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Lane {
    std::deque<Work> work;
    int tries = 0;  // Of the lane's first work.
  };

  // Runs the next work of the lane whose turn it is.
  void RunOne() ABSL_LOCKS_EXCLUDED(mutex_);
  std::string TakeReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetReady(const std::string& lane, std::deque<std::string>* ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends pauses; returns when the next one ends.
  absl::Time EndRests() ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsEmpty() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return lanes_.empty(); }

  const size_t max_queued_;
  quotas::Quota calls_;
  mutable absl::Mutex mutex_;
  // Lanes with waiting or running work.
  std::map<std::string, Lane> lanes_ ABSL_GUARDED_BY(mutex_);
  size_t queued_ ABSL_GUARDED_BY(mutex_) = 0;
  // Lanes that are neither running nor pausing: those whose first work has not run yet, and those
  // whose first work is run again.
  std::deque<std::string> fresh_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> again_ ABSL_GUARDED_BY(mutex_);
  int turns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::multimap<absl::Time, std::string> resting_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;
  threads::PeriodicThread waker_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_LANE_POOL_H_
