// The fair-share of usage domains for their members, read once for all of them.
#ifndef PRIORITYD_SERVER_DOMAINS_SHARE_CACHE_H_
#define PRIORITYD_SERVER_DOMAINS_SHARE_CACHE_H_

#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/priority/snapshot/domain_shares.h"
#include "engine/priority/snapshot/snapshot.h"
#include "storage/domain_store.h"
#include "storage/transaction.h"

namespace priorityd::domains {

using MaybeShares = absl::StatusOr<std::shared_ptr<const priority::DomainShares>>;

// Reads the stored shares; null for domain_id 0. ABORTED if they were deleted meanwhile.
MaybeShares ReadShares(storage::Transaction& transaction, const storage::DomainGeneration& of);

// The shares of a snapshot of the domain `domain_id`, as a row.
storage::DomainShareRow SharesOf(int32_t domain_id, const priority::Snapshot& snapshot);

// Keeps the shares of each domain that were read last: members have the same object. Thread-safe.
class ShareCache {
 public:
  // As ReadShares.
  MaybeShares Find(storage::Transaction& transaction, const storage::DomainGeneration& of)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Kept {
    int64_t incarnation = 0;  // See storage::Transaction.
    storage::DomainGeneration of;
    std::shared_ptr<const priority::DomainShares> shares;
  };

  absl::Mutex mutex_;
  absl::btree_map<int32_t, Kept> kept_ ABSL_GUARDED_BY(mutex_);  // By domain_id.
};

}  // namespace priorityd::domains

#endif  // PRIORITYD_SERVER_DOMAINS_SHARE_CACHE_H_
