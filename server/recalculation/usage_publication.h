// What the leader writes of a snapshot, so that every replica computes the same numbers.
#ifndef PRIORITYD_SERVER_RECALCULATION_USAGE_PUBLICATION_H_
#define PRIORITYD_SERVER_RECALCULATION_USAGE_PUBLICATION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "server/priority/snapshot.h"
#include "storage/cluster_state.h"
#include "storage/packed_usage.h"
#include "storage/transaction.h"

namespace priorityd::recalculation {

// What a leader knows of what is published; all 0 = it has to be read.
struct PublishedUsage {
  int64_t generation = 0;
  storage::EntryHashes hashes;
  int64_t written = 0;  // Entries, with that generation.
};

// Publishes what of `state` is not as published, and the digest of the snapshot that was
// computed from it; all of it where that takes no more than what changed since all was
// published last. Where somebody wants them, the numbers too. `known` is brought up to
// date; it is of no use if the transaction does not commit. REQUIRES: the snapshot is
// the newest, this process leads (LockLeadership).
absl::Status PublishUsage(storage::Transaction& transaction, const storage::ClusterState& state,
                          const priority::Snapshot& snapshot, PublishedUsage* known);

// Publishes the numbers of a snapshot that is published already; nothing if it is not the
// newest. REQUIRES: this process leads.
absl::Status PublishNumbersOf(storage::Transaction& transaction,
                              const priority::Snapshot& snapshot);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_USAGE_PUBLICATION_H_
