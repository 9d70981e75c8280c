// Threads that run calls, one at a time of each cluster.
#ifndef PRIORITYD_SERVER_RPC_LANE_POOL_H_
#define PRIORITYD_SERVER_RPC_LANE_POOL_H_

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
#include "server/rpc/worker_pool.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::rpc {

// Runs the work of each lane in the order given and one at a time. Work that would have to wait for
// a lock gives its thread back instead and is run again later, so that lanes that wait, however
// many, take no thread from others. Lanes that have work take turns. Thread-safe.
class LanePool {
 public:
  // Returns false where it would wait: it is run again after a rest, before what comes after it in
  // its lane.
  using Work = std::function<bool()>;

  // `parts`: see WorkerPool.
  explicit LanePool(int threads, size_t max_queued = kMaxQueuedCalls,
                    const quotas::Parts& parts = {});
  // Finishes what was scheduled.
  ~LanePool();

  // Returns false, and does not run `work`, when there is no room: in a lane for more than is left
  // of max_queued, so that some is left for others.
  bool TrySchedule(const std::string& lane, Work work) ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for a caller; see WorkerPool::TrySchedule.
  absl::Status TrySchedule(const quotas::Holder& caller, const std::string& lane, Work work)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // What callers hold.
  quotas::Usage usage() const { return calls_.usage(); }

  // What rests waits, too.
  PoolActivity activity() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Lane {
    std::deque<Work> work;
    int tries = 0;  // Of the first one.
  };

  // Runs what is next in the lane whose turn it is.
  void RunOne() ABSL_LOCKS_EXCLUDED(mutex_);
  std::string TakeReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetReady(const std::string& lane, std::deque<std::string>* ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends rests; returns when the next one ends.
  absl::Time EndRests() ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsEmpty() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return lanes_.empty(); }

  const size_t max_queued_;
  quotas::Quota calls_;
  mutable absl::Mutex mutex_;
  // Those with work that waits or is at work.
  std::map<std::string, Lane> lanes_ ABSL_GUARDED_BY(mutex_);
  size_t queued_ ABSL_GUARDED_BY(mutex_) = 0;
  // The lanes that are neither at work nor resting: those whose first work was not run yet, and
  // those where it is to be run again.
  std::deque<std::string> fresh_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> again_ ABSL_GUARDED_BY(mutex_);
  int turns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::multimap<absl::Time, std::string> resting_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;
  threads::PeriodicThread waker_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LANE_POOL_H_
