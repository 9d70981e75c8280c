// Writes a snapshot's usage, from which every replica computes the same numbers.
#ifndef PRIORITYD_SERVER_RECALCULATION_USAGE_PUBLICATION_H_
#define PRIORITYD_SERVER_RECALCULATION_USAGE_PUBLICATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/domains/share_publication.h"
#include "storage/database/transaction.h"
#include "storage/grants/domain_grant_store.h"
#include "storage/ledger/domain_store.h"
#include "storage/snapshots/cluster_state.h"
#include "storage/snapshots/packed_usage.h"

namespace priorityd::recalculation {

// The publication as the leader knows it; all 0 or unset = it must be read.
struct PublishedUsage {
  int64_t generation = 0;
  storage::EntryHashes hashes;
  // All usage of that generation (storage::PackWhole), until it is kept; empty = not packed.
  std::vector<std::string> whole;
  int64_t written = 0;  // Entries, with that generation.
  // The number of stored standings of grants, which are those of that generation.
  std::optional<size_t> standings;
  // True: no reserves are stored.
  bool no_reserves = false;
  // The stored snapshot of the usage domain.
  std::optional<storage::DomainGeneration> domain;
  // The stored grants of that domain.
  std::optional<std::vector<storage::GrantStanding>> domain_grants;
  // The shares that it published as a usage domain.
  domains::PublishedShares shares;
};

// Publishes the usage in `state` that differs from the publication, and the digest of the snapshot
// computed from it. Publishes all usage when that is no larger than the changes since it was last
// published in full. Also publishes the numbers if a replica has requested them. Updates `known`,
// which is invalid if the transaction does not commit. REQUIRES: the snapshot is the newest, this
// process leads (LockLeadership).
absl::Status PublishUsage(storage::Transaction& transaction, const storage::ClusterState& state,
                          const priority::Snapshot& snapshot, PublishedUsage* known);

// Publishes the numbers of a published snapshot; does nothing if it is not the newest. REQUIRES:
// this process leads.
absl::Status PublishNumbersOf(storage::Transaction& transaction,
                              const priority::Snapshot& snapshot);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_USAGE_PUBLICATION_H_
