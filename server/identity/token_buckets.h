// Who has called how often of late.
#ifndef PRIORITYD_SERVER_IDENTITY_TOKEN_BUCKETS_H_
#define PRIORITYD_SERVER_IDENTITY_TOKEN_BUCKETS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/identity/rate_limits.h"

namespace priorityd::identity {

// A bucket of tokens for each caller, as slurmctld keeps them: full at her first call, which takes
// one as each does; at the beginning of each period of the clock refill_rate come back. When the
// table is full the bucket of whoever has not called for the longest time is given to the next one.
// Thread-safe; nothing but a flag is read while limits are not enabled.
class TokenBuckets {
 public:
  struct Verdict {
    absl::Duration wait;  // Until there is a token again; zero = one was taken.
    bool log = false;     // It is time to log that there was none.
    bool allowed() const { return wait == absl::ZeroDuration(); }
  };

  TokenBuckets() = default;

  // Other limits empty the table: everybody's bucket is full again.
  void SetLimits(const RateLimits& limits) ABSL_LOCKS_EXCLUDED(mutex_);
  RateLimits limits() const ABSL_LOCKS_EXCLUDED(mutex_);

  // `now` may count from anywhere; a clock that goes back refills nothing.
  Verdict Take(absl::string_view caller, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  // What Take would say, but for the log.
  Verdict Look(absl::string_view caller, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Bucket {
    std::string caller;
    int64_t tokens;
    int64_t period;  // The last one in which it was refilled.
    absl::Time logged;
  };
  using Buckets = std::list<Bucket>;

  // The caller's, refilled and moved to the front.
  Bucket& BucketOf(absl::string_view caller, int64_t period) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Refill(int64_t period, Bucket* bucket) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  std::atomic<bool> enabled_{false};
  mutable absl::Mutex mutex_;
  RateLimits limits_ ABSL_GUARDED_BY(mutex_);
  Buckets buckets_ ABSL_GUARDED_BY(mutex_);  // Whoever called last comes first.
  // The keys are the names in the buckets.
  absl::flat_hash_map<absl::string_view, Buckets::iterator> by_caller_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_TOKEN_BUCKETS_H_
