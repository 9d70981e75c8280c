// How long commits have been at work.
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
  // A commit; it is over when the last copy goes.
  using Entry = std::shared_ptr<void>;

  // `clock`: Clocks::real.
  explicit CommitsAtWork(threads::Clock clock) : clock_(std::move(clock)) {}

  // This must outlive the entry.
  Entry Begin();

  // How long the one that began first has been at work; 0 if there is none.
  absl::Duration Longest() const;

 private:
  const threads::Clock clock_;
  mutable absl::Mutex mutex_;
  std::multiset<absl::Time> begins_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_COMMITS_AT_WORK_H_
