// The duration of running commits.
#ifndef PRIORITYD_SERVER_USAGE_COMMITS_AT_WORK_H_
#define PRIORITYD_SERVER_USAGE_COMMITS_AT_WORK_H_

#include <memory>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"

namespace priorityd::usage {

// Thread-safe.
class CommitsAtWork {
 public:
  // A running commit; it ends when the last copy is destroyed.
  using Entry = std::shared_ptr<void>;

  // `clock`: Clocks::real.
  explicit CommitsAtWork(threads::Clock clock) : clock_(std::move(clock)) {}

  // This must outlive the entry.
  Entry Begin();

  // The running time of the oldest commit; 0 if none is running.
  absl::Duration Longest() const;

 private:
  const threads::Clock clock_;
  mutable absl::Mutex mutex_;
  std::multiset<absl::Time> begins_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_COMMITS_AT_WORK_H_
