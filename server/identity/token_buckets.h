// Token buckets that limit the rate of callers.
#ifndef PRIORITYD_SERVER_IDENTITY_TOKEN_BUCKETS_H_
#define PRIORITYD_SERVER_IDENTITY_TOKEN_BUCKETS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/identity/rate_limits.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"

namespace priorityd::identity {

// One bucket of tokens per caller, as in slurmctld: full at the first call; each call takes a
// token; refill_rate tokens are added at the start of each period of the clock. Callers from one
// address have at most a part of the table: a further caller replaces the least recently active one
// from that address. When the table is full, the address with the most buckets loses one in this
// way. Thread-safe; reads only a flag while limits are disabled.
class TokenBuckets {
 public:
  struct Verdict {
    absl::Duration wait;  // Time until the next token; zero = one was taken.
    bool log = false;     // Whether this refusal should be logged.
    bool allowed() const { return wait == absl::ZeroDuration(); }
  };

  TokenBuckets() = default;

  // One address's part of the table.
  void SetParts(const quotas::Parts& parts) ABSL_LOCKS_EXCLUDED(mutex_);

  // Changed limits empty the table: every bucket is full again.
  void SetLimits(const RateLimits& limits) ABSL_LOCKS_EXCLUDED(mutex_);
  RateLimits limits() const ABSL_LOCKS_EXCLUDED(mutex_);

  // `address`: the host of a new caller (HostOfPeer). `now`: arbitrary epoch; a clock that goes
  // back refills nothing.
  Verdict Take(absl::string_view caller, absl::string_view address, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The result that Take would return, without `log`.
  Verdict Look(absl::string_view caller, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Use of the table; `refused` counts callers whose bucket was given to another.
  quotas::Usage usage() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Address;
  struct Bucket {
    std::string caller;
    int64_t tokens;
    int64_t period;  // The period of the last refill.
    absl::Time logged;
    Address* address;
    uint64_t used;  // The count of takes at its last use.
  };
  using Buckets = std::list<Bucket>;
  // The address with the most buckets comes first; among equals, the one with the least recently
  // used bucket.
  struct Rank {
    size_t buckets = 0;
    uint64_t oldest = 0;
    bool operator<(const Rank& other) const {
      return buckets != other.buckets ? buckets > other.buckets : oldest < other.oldest;
    }
  };
  struct Address {
    std::string name;
    Buckets buckets;  // The most recently used comes first.
    Rank rank = {};   // In by_rank_.
  };

  // The caller's bucket, refilled and moved to the front.
  Bucket& BucketOf(absl::string_view caller, absl::string_view address, int64_t period)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Bucket& Add(absl::string_view caller, absl::string_view address, int64_t period)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes the least recently used bucket of this address.
  void ForgetOne(Address* address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Updates the rank of the address; removes an address without buckets.
  void SetRank(Address* address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Refill(int64_t period, Bucket* bucket) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  std::atomic<bool> enabled_{false};
  mutable absl::Mutex mutex_;
  quotas::Parts parts_ ABSL_GUARDED_BY(mutex_);
  RateLimits limits_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::unique_ptr<Address>> addresses_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<Rank, Address*> by_rank_ ABSL_GUARDED_BY(mutex_);
  // Keys point to the names in the buckets.
  absl::flat_hash_map<absl::string_view, Buckets::iterator> by_caller_ ABSL_GUARDED_BY(mutex_);
  uint64_t takes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t forgotten_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_TOKEN_BUCKETS_H_
