// Snapshots as every other replica loads them: it computes them from the usage that the
// leader published, and shows the leader's numbers, bit for bit, or none.
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
#include "server/configuration/configuration.h"
#include "server/priority/snapshot.h"
#include "server/recalculation/kept_usage.h"
#include "storage/cluster_state.h"
#include "storage/database.h"
#include "storage/snapshot_store.h"
#include "storage/transaction.h"

namespace priorityd::recalculation {

// TRES numbers by name.
using TresNumbers = std::map<std::string, int32_t>;

// A snapshot's numbers as rows, by AssociationIndex. TRES without a number are
// left out.
std::vector<storage::AssociationFactor> ToFactors(const priority::Snapshot& snapshot,
                                                  const TresNumbers& tres);

// Usage of QOS as rows; `ids` are those of the QOS, in the same order.
std::vector<storage::SnapshotQosUsage> ToRows(absl::Span<const priority::QosUsage> usage,
                                              const std::vector<int64_t>& ids,
                                              const TresNumbers& tres);
std::vector<storage::JobEnd> ToRows(
    const absl::flat_hash_map<std::string, absl::Time>& recorded_until);

// Loads newest snapshots. Keeps the configuration for as long as it stays the same, and the
// usage, so that it reads only what changed. Not thread-safe.
class SnapshotLoader {
 public:
  using MaybeSnapshot = absl::StatusOr<std::shared_ptr<const priority::Snapshot>>;

  // `database` must outlive the loader.
  explicit SnapshotLoader(storage::Database* database) : database_(database) {}

  // Computes the newest snapshot. If its digest is not the leader's, which another version or
  // another processor's mathematics may come to, takes over the leader's numbers; where they
  // are not published, asks for them: nullptr, until the leader notifies.
  //
  // NOT_FOUND if the cluster has no snapshot, or one whose numbers are not kept.
  // INTERNAL if rows do not fit together. UNAVAILABLE: the database.
  MaybeSnapshot Load(const std::string& cluster);

  // Everything is read again; or what is of a cluster.
  void Forget() { known_.clear(); }
  void Forget(const std::string& cluster) { known_.erase(cluster); }

 private:
  struct Known {
    std::shared_ptr<const configuration::Configuration> configuration;
    // That of this generation; 0 = none.
    int64_t generation = 0;
    KeptUsage usage;
  };
  struct Published;

  // What `known` lacks of the newest snapshot; numbers instead of usage where
  // !published->is_usage, or where there is no usage.
  static absl::Status Read(storage::Transaction& transaction, const std::string& cluster,
                           const Known& known, Published* published);
  // Makes the configuration, and of what is known and what was published the usage.
  static absl::Status Take(Published* published, Known* known, storage::ClusterState* usage);
  static absl::StatusOr<priority::SnapshotSource> SourceOf(
      const configuration::Configuration& configuration, const Published& published);
  static MaybeSnapshot Restored(const configuration::Configuration& configuration,
                                priority::SnapshotSource source, const Published& published);
  MaybeSnapshot LoadNumbers(const std::string& cluster, Known* known);

  storage::Database* const database_;
  absl::btree_map<std::string, Known> known_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_PUBLISHED_SNAPSHOT_H_
