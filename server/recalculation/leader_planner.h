// The recalculations of the leader, by the standings of the clusters.
#ifndef PRIORITYD_SERVER_RECALCULATION_LEADER_PLANNER_H_
#define PRIORITYD_SERVER_RECALCULATION_LEADER_PLANNER_H_

#include <cstdint>
#include <string>

#include "absl/container/btree_map.h"
#include "server/recalculation/pending_demands.h"
#include "server/recalculation/recalculation_threads.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database/database.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {

// Keeps the schedule of the recalculation threads in line with the configuration, and demands the
// first snapshots and the computed values that are missing. For the loop's thread.
class LeaderPlanner {
 public:
  // All pointers must outlive it.
  LeaderPlanner(storage::Database* database, const SnapshotRegistry* registry,
                PendingDemands* demands, RecalculationThreads* threads)
      : database_(database), registry_(registry), demands_(demands), threads_(threads) {}

  // Plans for a cluster as it is in the database. A cluster whose configuration cannot be read is
  // left for the next call. `leads_newly`: this replica has just become the leader.
  void Plan(const storage::ClusterStanding& standing, bool leads_newly);

  // Plans nothing for the cluster, or for any cluster, until the next Plan.
  void Forget(const std::string& cluster);
  void ForgetAll();

 private:
  // Plans periodic recalculations, or the first one.
  void Schedule(const storage::ClusterStanding& standing, bool leads_newly);

  storage::Database* const database_;
  const SnapshotRegistry* const registry_;
  PendingDemands* const demands_;
  RecalculationThreads* const threads_;
  // The revision that the schedule reflects, by cluster.
  absl::btree_map<std::string, int64_t> revisions_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LEADER_PLANNER_H_
