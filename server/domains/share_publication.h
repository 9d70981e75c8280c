// Writes the fair-share of a usage domain's snapshot for its members.
#ifndef PRIORITYD_SERVER_DOMAINS_SHARE_PUBLICATION_H_
#define PRIORITYD_SERVER_DOMAINS_SHARE_PUBLICATION_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/domains/share_cache.h"
#include "storage/database/transaction.h"

namespace priorityd::domains {

// The shares that the leader published last, as far as it knows them; null = unknown.
struct PublishedShares {
  int64_t incarnation = 0;  // Of the database, see storage::Transaction.
  std::shared_ptr<const priority::AssociationTree> tree;  // The names are this tree's.
  StoredShares stored;
};

// Publishes the shares of a snapshot with this tree, and their names unless the last ones have the
// same. While a replica runs that cannot read names of their own row, each row of shares has its
// names. Updates `known`, which is invalid if the transaction does not commit. REQUIRES: this
// process leads (LockLeadership); `known` is of this domain's newest shares.
absl::Status PublishShares(storage::Transaction& transaction, int32_t domain_id,
                           const priority::Snapshot& snapshot,
                           const std::shared_ptr<const priority::AssociationTree>& tree,
                           PublishedShares* known);

}  // namespace priorityd::domains

#endif  // PRIORITYD_SERVER_DOMAINS_SHARE_PUBLICATION_H_
