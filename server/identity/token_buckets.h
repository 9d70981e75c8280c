// Who has called how often of late.
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

// A bucket of tokens for each caller, as slurmctld keeps them: full at the first call, which takes
// one as each does; at the beginning of each period of the clock refill_rate come back. Callers
// from one address have at most a part of the table: a caller more gets the bucket of the one among
// them who has not called for the longest time. When the table is full that happens to the address
// with the most buckets. Thread-safe; nothing but a flag is read while limits are not enabled.
class TokenBuckets {
 public:
  struct Verdict {
    absl::Duration wait;  // Until there is a token again; zero = one was taken.
    bool log = false;     // It is time to log that there was none.
    bool allowed() const { return wait == absl::ZeroDuration(); }
  };

  TokenBuckets() = default;

  // What one address may have of the table.
  void SetParts(const quotas::Parts& parts) ABSL_LOCKS_EXCLUDED(mutex_);

  // Other limits empty the table: everybody's bucket is full again.
  void SetLimits(const RateLimits& limits) ABSL_LOCKS_EXCLUDED(mutex_);
  RateLimits limits() const ABSL_LOCKS_EXCLUDED(mutex_);

  // `address`: that a caller who is new calls from. `now` may count from anywhere; a clock that
  // goes back refills nothing.
  Verdict Take(absl::string_view caller, absl::string_view address, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // What Take would say, but for the log.
  Verdict Look(absl::string_view caller, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Of the table; refused are those whose bucket somebody else got.
  quotas::Usage usage() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Address;
  struct Bucket {
    std::string caller;
    int64_t tokens;
    int64_t period;  // The last one in which it was refilled.
    absl::Time logged;
    Address* address;
    uint64_t used;  // Takes until its last one.
  };
  using Buckets = std::list<Bucket>;
  // The one with the most buckets comes first; of several the one whose oldest was not used for the
  // longest time.
  struct Rank {
    size_t buckets = 0;
    uint64_t oldest = 0;
    bool operator<(const Rank& other) const {
      return buckets != other.buckets ? buckets > other.buckets : oldest < other.oldest;
    }
  };
  struct Address {
    std::string name;
    Buckets buckets;  // The one that was used last comes first.
    Rank rank = {};   // In by_rank_.
  };

  // The caller's, refilled and moved to the front.
  Bucket& BucketOf(absl::string_view caller, absl::string_view address, int64_t period)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Bucket& Add(absl::string_view caller, absl::string_view address, int64_t period)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets the bucket of this address that was not used for the longest time.
  void ForgetOne(Address* address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ranks the address as it is now; forgets one without buckets.
  void SetRank(Address* address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Refill(int64_t period, Bucket* bucket) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  std::atomic<bool> enabled_{false};
  mutable absl::Mutex mutex_;
  quotas::Parts parts_ ABSL_GUARDED_BY(mutex_);
  RateLimits limits_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::unique_ptr<Address>> addresses_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<Rank, Address*> by_rank_ ABSL_GUARDED_BY(mutex_);
  // The keys are the names in the buckets.
  absl::flat_hash_map<absl::string_view, Buckets::iterator> by_caller_ ABSL_GUARDED_BY(mutex_);
  uint64_t takes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t forgotten_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The address in a peer's name as gRPC has it: `ipv4:10.0.0.1` of `ipv4:10.0.0.1:54321`.
absl::string_view AddressOf(absl::string_view peer);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_TOKEN_BUCKETS_H_
