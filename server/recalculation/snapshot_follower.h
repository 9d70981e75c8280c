// Loads the leader's published snapshots into the registry.
#ifndef PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_FOLLOWER_H_
#define PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_FOLLOWER_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "server/recalculation/published_snapshot.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/recalculation/standings.h"
#include "storage/database/database.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {

// By the names of clusters.
using Generations = absl::btree_map<std::string, int64_t>;

// Not thread-safe; other threads may publish to the registry meanwhile.
class SnapshotFollower {
 public:
  // Both must outlive it.
  SnapshotFollower(storage::Database* database, SnapshotRegistry* registry)
      : registry_(registry), loader_(database) {}

  // Whether the standings belong to another incarnation of the database, or to one that went back
  // in time. `before`: the registry's generations before the standings were read.
  bool IsAnother(const Standings& standings, const Generations& before) const;

  // Discards everything read before these standings, which name all clusters that exist.
  void StartOver(const Standings& standings);

  // Forces the next load to read its input again, for all clusters or for one.
  void ForgetInputs() { loader_.Forget(); }
  void ForgetInputs(const std::string& cluster) { loader_.Forget(cluster); }

  // Whether the cluster's published snapshot is missing in the registry; `may_lag`: an older one
  // suffices.
  bool NeedsLoading(const storage::ClusterStanding& standing, bool may_lag) const;

  // Loads the published snapshot, or removes one that is no longer published.
  absl::Status Load(const storage::ClusterStanding& standing);

  // Whether, since the last call, a snapshot could not be used because its numbers have only been
  // requested.
  bool TakeLacksNumbers() { return std::exchange(lacks_numbers_, false); }

  // The number of times that this replica computed other values than the leader. Thread-safe.
  int64_t mismatches() const { return mismatches_; }

 private:
  absl::Status Register(const storage::ClusterStanding& standing,
                        SnapshotLoader::MaybeSnapshot loaded);

  SnapshotRegistry* const registry_;
  SnapshotLoader loader_;
  bool lacks_numbers_ = false;
  std::atomic<int64_t> mismatches_ = 0;
  int64_t incarnation_ = 0;  // See storage::Transaction.
  // Clusters whose snapshot must be loaded whatever its generation.
  absl::btree_set<std::string> unknown_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_FOLLOWER_H_
