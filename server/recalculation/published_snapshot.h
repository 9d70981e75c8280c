// Snapshots as the leader publishes them and every other replica loads them:
// numbers are taken over bit for bit, never computed again.
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
#include "storage/database.h"
#include "storage/snapshot_store.h"

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

// Loads newest snapshots, and keeps the configuration for as long as it stays
// the same. Not thread-safe.
class SnapshotLoader {
 public:
  // `database` must outlive the loader.
  explicit SnapshotLoader(storage::Database* database) : database_(database) {}

  // NOT_FOUND if the cluster has no snapshot, or one whose numbers are not kept.
  // INTERNAL if rows do not fit together. UNAVAILABLE: the database.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Load(const std::string& cluster);

  // Reads the configurations again too: the database is another one.
  void Forget() { known_.clear(); }

 private:
  storage::Database* const database_;
  absl::btree_map<std::string, std::shared_ptr<const configuration::Configuration>> known_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_PUBLISHED_SNAPSHOT_H_
