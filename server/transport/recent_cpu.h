// The CPU time that callers have used lately.
#ifndef PRIORITYD_SERVER_TRANSPORT_RECENT_CPU_H_
#define PRIORITYD_SERVER_TRANSPORT_RECENT_CPU_H_

#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"

namespace priorityd::rpc {

// Counts CPU time by caller. Callers who have used none lately take no memory. Thread-safe.
class RecentCpu {
 public:
  // `clock`: see threads::Clocks::real.
  explicit RecentCpu(threads::Clock clock) : clock_(std::move(clock)) {}

  void Add(const std::string& caller, absl::Duration used) ABSL_LOCKS_EXCLUDED(mutex_);
  // Used in the present period and the one before it, each a second.
  absl::Duration Of(const std::string& caller) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Used = absl::flat_hash_map<std::string, absl::Duration>;

  // Begins a new period if the present one has ended.
  void Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const threads::Clock clock_;
  absl::Mutex mutex_;
  absl::Time end_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();  // Of the present period.
  Used present_ ABSL_GUARDED_BY(mutex_);
  Used before_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_RECENT_CPU_H_
