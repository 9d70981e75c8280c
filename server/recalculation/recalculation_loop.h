// The loop that recalculates periodically and on demand.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_

#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/recalculation/leader_client.h"
#include "server/recalculation/leader_planner.h"
#include "server/recalculation/leader_service.h"
#include "server/recalculation/leadership.h"
#include "server/recalculation/loop_options.h"
#include "server/recalculation/news.h"
#include "server/recalculation/pending_demands.h"
#include "server/recalculation/recalculation_threads.h"
#include "server/recalculation/recalculation_worker.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/recalculation/standings_follower.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database/database.h"
#include "storage/database/notification.h"

namespace priorityd::recalculation {

// Keeps the registry's snapshots up to date. On the leader, recalculates every cluster on the real
// clock each PriorityCalcPeriod, and any cluster on demand of any replica, clusters in parallel; on
// other replicas, loads the leader's publications. A failed recalculation is logged and retried;
// the old snapshot stays. Builds and connects the parts that do so; its thread, Leadership's and
// the recalculation threads run them. Thread-safe.
class RecalculationLoop {
 public:
  // `database` and `registry` must outlive the loop, which also opens its own connections.
  RecalculationLoop(storage::Database* database, SnapshotRegistry* registry, threads::Clocks clocks,
                    LoopOptions options = {});
  // Finishes running recalculations; waiting ones are answered UNAVAILABLE.
  ~RecalculationLoop();
  RecalculationLoop(const RecalculationLoop&) = delete;
  RecalculationLoop& operator=(const RecalculationLoop&) = delete;

  // Registers all clusters, loads their snapshots and starts the threads. If this replica leads,
  // also recalculates each cluster that has no snapshot and a time to compute it for. Fails only if
  // the clusters cannot be listed. Call once.
  absl::Status Start();

  // Recalculates now, here or on the leader, and waits for the result. Errors of Recalculator;
  // UNAVAILABLE if no leader answers in time.
  SnapshotOr RecalculateNow(const std::string& cluster,
                            std::optional<absl::Time> as_of = std::nullopt);

  // The time at which a change of the configuration takes effect.
  enum class Pace {
    kPeriodic,  // At the next periodic recalculation.
    kSoon,      // At an extra recalculation, shared by all changes within a second.
  };

  // Schedules a created or changed cluster. A cluster without a recalculation is recalculated at
  // once, unless its clock is manual. Returns when the change takes effect: snapshots computed then
  // or later include it; nullopt = at the next call of Recalculate.
  absl::StatusOr<std::optional<absl::Time>> ScheduleCluster(const std::string& cluster,
                                                            Pace pace = Pace::kPeriodic);

  // Makes the leader recalculate a scheduled cluster soon, at the pace of kSoon. If the
  // notification is lost, that waits for the period.
  void RecalculateSoon(const std::string& cluster);

  // The time of this replica's next recalculation of a cluster, for tests and status; nullopt if
  // there is none.
  std::optional<absl::Time> DueAt(const std::string& cluster) const {
    return threads_.DueAt(cluster);
  }

  // Whether this replica leads.
  bool leads() const { return leadership_.epoch().has_value(); }

  // The pool of database connections for recalculations.
  const storage::Database& recalculations() const { return recalculations_; }

  // The number of times that this replica computed other values than the leader.
  int64_t mismatches() const { return follower_.mismatches(); }

  // See Leadership.
  bool clock_agrees() const { return leadership_.clock_agrees(); }

  // Call after setting the clock: due clusters are recalculated.
  void CheckClock() { threads_.CheckClock(); }

 private:
  // Makes the leader recalculate a cluster soon that was last recalculated at `last` and is due at
  // `due`. Returns its new due time.
  absl::Time Hasten(const std::string& cluster, absl::Time last, absl::Time due);
  // Notifies the leader of it.
  absl::Status NotifyHaste(const std::string& cluster);
  // Called on Leadership's thread.
  void HandleNotifications(const storage::Notifications& notifications) ABSL_LOCKS_EXCLUDED(mutex_);
  // One turn of the loop's thread.
  void ReadNews() ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  // For recalculations, so that recalculations and calls never wait for each other's connections.
  storage::Database recalculations_;
  SnapshotRegistry* const registry_;
  const threads::Clocks clocks_;
  const LoopOptions options_;

  // For any thread.
  LeaderClient client_;
  PendingDemands demands_;
  RecalculationWorker worker_;
  // For the loop's thread.
  LeaderPlanner planner_;
  LeaderService service_;
  StandingsFollower follower_;

  absl::Mutex mutex_;
  News news_ ABSL_GUARDED_BY(mutex_);

  threads::PeriodicThread thread_;
  RecalculationThreads threads_;
  Leadership leadership_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
