// The loading of snapshots by the other replicas: they compute them from the usage that the leader
// published, and serve the leader's numbers, bit for bit, or none.
#ifndef PRIORITYD_SERVER_RECALCULATION_PUBLISHED_SNAPSHOT_H_
#define PRIORITYD_SERVER_RECALCULATION_PUBLISHED_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/configuration/configuration.h"
#include "server/domains/share_cache.h"
#include "server/recalculation/kept_usage.h"
#include "server/recalculation/leased_configuration.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"
#include "storage/snapshots/cluster_state.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {

// TRES numbers by name.
using TresNumbers = std::map<std::string, int32_t>;

// A snapshot's factors as rows, by AssociationIndex. TRES without a number are omitted.
std::vector<storage::AssociationFactor> ToFactors(const priority::Snapshot& snapshot,
                                                  const TresNumbers& tres);

// Usage of QOS as rows; `ids` are the QOS' ids in the same order.
std::vector<storage::SnapshotQosUsage> ToRows(absl::Span<const priority::QosUsage> usage,
                                              const std::vector<int64_t>& ids,
                                              const TresNumbers& tres);
std::vector<storage::JobEnd> ToRows(
    const absl::flat_hash_map<std::string, absl::Time>& recorded_until);

// Loads the newest snapshots. Keeps the usage, and the configuration while it is unchanged, so that
// it reads only changes. Not thread-safe.
class SnapshotLoader {
 public:
  using MaybeSnapshot = absl::StatusOr<std::shared_ptr<const priority::Snapshot>>;

  // `database` must outlive the loader.
  explicit SnapshotLoader(storage::Database* database) : database_(database) {}

  // Computes the newest snapshot. If its digest differs from the leader's, as it may with another
  // version or another processor's floating point, uses the leader's numbers instead; if these are
  // not published, requests them and returns nullptr until the leader notifies. NOT_FOUND if the
  // cluster has no snapshot, or one without stored numbers. INTERNAL if rows are inconsistent.
  // UNAVAILABLE: the database.
  MaybeSnapshot Load(const std::string& cluster);

  // Forces the next load to read everything again, for all clusters or for one.
  void Forget() {
    known_.clear();
    domain_shares_.Forget();
  }
  void Forget(const std::string& cluster) {
    known_.erase(cluster);
    domain_shares_.Forget(cluster);
  }

 private:
  struct Known {
    LeaseBook lease_book;
    LeasedConfiguration leased;
    // The generation of `usage`; 0 = none.
    int64_t generation = 0;
    KeptUsage usage;
    // Of grants of money, as read with that revision of the configuration; null = not read.
    std::shared_ptr<const priority::JobPrices> prices;
    int64_t prices_revision = -1;
  };
  struct Published;

  // Reads what `known` lacks of the newest snapshot; numbers instead of usage if
  // !published->is_usage, or if there is no usage.
  absl::Status Read(storage::Transaction& transaction, const std::string& cluster,
                    const Known& known, Published* published);
  // Builds the configuration with the leases in effect at the snapshot's time.
  static absl::Status Configure(Published* published, Known* known);
  // The same, and the usage from the known and the published parts.
  static absl::Status Apply(Published* published, Known* known, storage::ClusterState* usage);
  static absl::StatusOr<priority::SnapshotSource> SourceOf(
      const configuration::Configuration& configuration, const Published& published);
  static MaybeSnapshot Restored(const configuration::Configuration& configuration,
                                priority::SnapshotSource source, const Published& published);
  MaybeSnapshot LoadNumbers(const std::string& cluster, Known* known);

  storage::Database* const database_;
  domains::ShareCache domain_shares_;
  absl::btree_map<std::string, Known> known_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_PUBLISHED_SNAPSHOT_H_
