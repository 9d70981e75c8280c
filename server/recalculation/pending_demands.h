// Demands of this replica itself that are not done yet.
#ifndef PRIORITYD_SERVER_RECALCULATION_PENDING_DEMANDS_H_
#define PRIORITYD_SERVER_RECALCULATION_PENDING_DEMANDS_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/synchronization/mutex.h"
#include "server/recalculation/agenda.h"
#include "server/recalculation/recalculation_threads.h"

namespace priorityd::recalculation {

// Adds each demand to the recalculation threads once, although its reason is read again and again
// until the demand is done. Thread-safe.
class PendingDemands {
 public:
  // `threads` must outlive it or stop before it is destroyed.
  explicit PendingDemands(RecalculationThreads* threads) : threads_(threads) {}

  // Adds the demand, unless one with this key is pending. Does not wait.
  void Add(const std::string& key, Demand demand) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until no demand is pending.
  void AwaitNone() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  RecalculationThreads* const threads_;
  absl::Mutex mutex_;
  absl::btree_set<std::string> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_PENDING_DEMANDS_H_
