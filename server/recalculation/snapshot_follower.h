// Keeps a registry's snapshots those that the leader published.
#ifndef PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_FOLLOWER_H_
#define PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_FOLLOWER_H_

#include <cstdint>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "server/recalculation/published_snapshot.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/recalculation/standings.h"
#include "storage/database.h"
#include "storage/snapshot_store.h"

namespace priorityd::recalculation {

// By the names of clusters.
using Generations = absl::btree_map<std::string, int64_t>;

// Not thread-safe; others may publish to the registry meanwhile.
class SnapshotFollower {
 public:
  // Both must outlive it.
  SnapshotFollower(storage::Database* database, SnapshotRegistry* registry)
      : registry_(registry), loader_(database) {}

  // Whether the standings are of another incarnation of the database, or of one that went back.
  // `before`: the registry's, from before they were read.
  bool IsAnother(const Standings& standings, const Generations& before) const;

  // From now on what was read before these standings of all clusters counts for nothing, and
  // there are no clusters but these.
  void StartOver(const Standings& standings);

  // What is kept to load the next snapshot faster is read again; or that of one cluster.
  void ForgetInputs() { loader_.Forget(); }
  void ForgetInputs(const std::string& cluster) { loader_.Forget(cluster); }

  // Whether the cluster's published snapshot is not in the registry; `may_lag`: one that is
  // there will do.
  bool NeedsLoading(const storage::ClusterStanding& standing, bool may_lag) const;

  // Loads it, or lets one go that is not published any more.
  absl::Status Load(const storage::ClusterStanding& standing);

  // Whether a snapshot could not be shown since its numbers were asked for, since the last call.
  bool TakeLacksNumbers() { return std::exchange(lacks_numbers_, false); }

 private:
  absl::Status Take(const storage::ClusterStanding& standing, SnapshotLoader::MaybeSnapshot loaded);

  SnapshotRegistry* const registry_;
  SnapshotLoader loader_;
  bool lacks_numbers_ = false;
  int64_t incarnation_ = 0;  // See storage::Transaction.
  // Clusters whose snapshot is to be loaded whatever its generation.
  absl::btree_set<std::string> unknown_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_FOLLOWER_H_
