// Keeps this replica in line with the clusters in the database.
#ifndef PRIORITYD_SERVER_RECALCULATION_STANDINGS_FOLLOWER_H_
#define PRIORITYD_SERVER_RECALCULATION_STANDINGS_FOLLOWER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/recalculation/deleted_clusters.h"
#include "server/recalculation/leader_planner.h"
#include "server/recalculation/loop_options.h"
#include "server/recalculation/news.h"
#include "server/recalculation/recalculation_worker.h"
#include "server/recalculation/snapshot_follower.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database/database.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {

// Registers new clusters, loads the snapshots that the leader published, forgets deleted clusters
// and, on the leader, plans the recalculations. For the loop's thread; other threads may publish to
// the registry meanwhile.
class StandingsFollower {
 public:
  // All must outlive it.
  StandingsFollower(storage::Database* database, SnapshotRegistry* registry, LeaderPlanner* planner,
                    RecalculationWorker* worker, const LoopOptions& options)
      : database_(database),
        registry_(registry),
        planner_(planner),
        worker_(worker),
        options_(options),
        snapshots_(database, registry) {}

  // Follows the clusters `names`, or all clusters where these do not suffice: after a change of the
  // leadership or of the database. `epoch`: see Leadership; read before the call. Confirms the
  // registry's snapshots if all clusters were read and loaded. Errors of the database; INTERNAL if
  // a snapshot cannot be loaded, after the other clusters were followed.
  absl::Status Follow(const ClusterNames& names, std::optional<int64_t> epoch);

  // See SnapshotFollower. Thread-safe.
  int64_t mismatches() const { return snapshots_.mismatches(); }

 private:
  void ForgetCluster(const std::string& cluster);
  // True when this replica leads in a new epoch.
  bool SetEpoch(std::optional<int64_t> epoch);
  absl::Status FollowCluster(const storage::ClusterStanding& standing, bool leads_newly);

  storage::Database* const database_;
  SnapshotRegistry* const registry_;
  LeaderPlanner* const planner_;
  RecalculationWorker* const worker_;
  const LoopOptions& options_;
  SnapshotFollower snapshots_;
  DeletedClusters deleted_;
  std::set<std::string> forgotten_;  // Deleted clusters of whose name none was read since.
  std::optional<int64_t> epoch_;     // Of the last call.
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_STANDINGS_FOLLOWER_H_
