// The fair-share of usage domains for their members, read once for all of them.
#ifndef PRIORITYD_SERVER_DOMAINS_SHARE_CACHE_H_
#define PRIORITYD_SERVER_DOMAINS_SHARE_CACHE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/priority/snapshot/domain_shares.h"
#include "storage/database/transaction.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::domains {

using SharesPtr = std::shared_ptr<const priority::DomainShares>;
using NamesPtr = std::shared_ptr<const priority::DomainNames>;

// Shares of a domain as they are stored.
struct StoredShares {
  SharesPtr shares;
  std::optional<int64_t> names_version;  // As in storage::DomainShareRow.
};

// Keeps the newest known shares of each domain: members have the same object, and snapshots of one
// tree the same names. Thread-safe.
class ShareCache {
 public:
  // Reads what is not kept; null for domain_id 0. ABORTED if the shares were deleted meanwhile.
  absl::StatusOr<SharesPtr> Find(storage::Transaction& transaction,
                                 const storage::DomainGeneration& of) ABSL_LOCKS_EXCLUDED(mutex_);
  // Null if they are not kept. `incarnation`: of the database, see storage::Transaction.
  SharesPtr FindKept(int64_t incarnation, const storage::DomainGeneration& of)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps shares that are stored.
  void Keep(int64_t incarnation, int32_t domain_id, StoredShares stored)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps no shares, or none of the domain of that name.
  void Forget() ABSL_LOCKS_EXCLUDED(mutex_);
  void Forget(const std::string& domain) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Kept {
    int64_t incarnation = 0;
    StoredShares stored;
  };

  // Null if other names are kept.
  NamesPtr FindNames(int64_t incarnation, int32_t domain_id, int64_t version)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<NamesPtr> NamesOf(storage::Transaction& transaction, storage::DomainShareRow* row);

  absl::Mutex mutex_;
  absl::btree_map<int32_t, Kept> kept_ ABSL_GUARDED_BY(mutex_);  // By domain_id.
};

}  // namespace priorityd::domains

#endif  // PRIORITYD_SERVER_DOMAINS_SHARE_CACHE_H_
