// The loop that recalculates periodically and on demand.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/recalculation/leadership.h"
#include "server/recalculation/news.h"
#include "server/recalculation/recalculation.h"
#include "server/recalculation/recalculation_report.h"
#include "server/recalculation/recalculation_threads.h"
#include "server/recalculation/snapshot_follower.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/recalculation/standings.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database.h"
#include "storage/recalculation_request_store.h"
#include "storage/snapshot_store.h"

namespace priorityd::recalculation {

struct LoopOptions {
  LeadershipOptions leadership;
  HistoryOptions history;
  // Clusters recalculated in parallel, each by a thread with a database connection.
  int threads = 4;
  // The site's clock estimates the database's: no recalculation is for a later time than the
  // database's clock reads.
  bool by_database = false;
  // Called on the loop's thread when other replicas changed tracked queues of these clusters, when
  // the leader's publication for them is loaded, and every few seconds for all clusters. Must not
  // wait for long.
  std::function<void(const ClusterNames&)> on_notified;
  // Called on the loop's thread when a cluster has been deleted, or created again under its name.
  // Must not wait for long.
  std::function<void(const std::string& cluster)> on_deleted;
  // Called after a snapshot was published, on the thread that recalculated it. Must return at once.
  std::function<void(std::shared_ptr<const priority::Snapshot>)> on_recalculated;
  // Notified of each recalculation. Must outlive the loop.
  RecalculationObservers observers;
  // How long a replica waits for the leader to recalculate.
  absl::Duration patience = absl::Seconds(30);
};

// Keeps the registry's snapshots up to date. On the leader, recalculates every cluster on the real
// clock each PriorityCalcPeriod, and any cluster on demand of any replica, clusters in parallel; on
// other replicas, loads the leader's publications. A failed recalculation is logged and retried;
// the old snapshot stays. Thread-safe.
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

  // When a change of the configuration takes effect.
  enum class Pace {
    kPeriodic,  // At the next periodic recalculation.
    kSoon,      // At an extra recalculation, shared by all changes within a second.
  };

  // Schedules a created or changed cluster. A cluster without a recalculation is recalculated at
  // once, unless its clock is manual. Returns when the change takes effect: snapshots computed then
  // or later include it; nullopt = at the next call of Recalculate.
  absl::StatusOr<std::optional<absl::Time>> ScheduleCluster(const std::string& cluster,
                                                            Pace pace = Pace::kPeriodic);

  // When this replica next recalculates a cluster, for tests and status; nullopt if it does not.
  std::optional<absl::Time> DueAt(const std::string& cluster) const {
    return threads_.DueAt(cluster);
  }

  // Whether this replica leads.
  bool leads() const { return leadership_.epoch().has_value(); }

  // The pool of database connections for recalculations.
  const storage::Database& recalculations() const { return recalculations_; }

  // See Leadership.
  bool clock_agrees() const { return leadership_.clock_agrees(); }

  // Call after setting the clock: due clusters are recalculated.
  void CheckClock() { threads_.CheckClock(); }

 private:
  // --- On the threads that recalculate ---------------------------------------------------------

  SnapshotOr Work(const Agenda::Work& work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Recalculates, publishes, reschedules.
  SnapshotOr Recalculate(const std::string& cluster, std::optional<absl::Time> as_of,
                         RecalculationStages* stages);
  // See RecalculationTime::latest.
  absl::Time LatestTime() const {
    if (!options_.by_database) return absl::InfiniteFuture();
    return clocks_.host() + options_.leadership.max_clock_offset;
  }
  // The same, reported to the observers.
  SnapshotOr RecalculateAndReport(const Agenda::Work& work);
  // For replicas that compute other numbers for this generation.
  SnapshotOr PublishNumbers(const std::string& cluster, int64_t generation);
  void LogDue(const std::string& cluster, const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- On the loop's thread --------------------------------------------------------------------

  void ReadNews() ABSL_LOCKS_EXCLUDED(mutex_);
  // Loads the leader's publications; on the leader, schedules clusters and answers other replicas'
  // requests. `names`: the clusters; reads all clusters where these do not suffice.
  absl::Status LoadPublished(const ClusterNames& names);
  // Forgets clusters of `names` that are missing in `standings` or were created again. `known`: the
  // registry's clusters before the standings were read.
  void ForgetDeleted(const std::vector<storage::ClusterStanding>& standings,
                     const ClusterNames& names, const std::vector<std::string>& known);
  void ForgetCluster(const std::string& cluster);
  void Take(const std::vector<storage::ClusterStanding>& clusters, bool leads_newly,
            absl::Status* status);
  // True when this replica leads in a new epoch.
  bool SetEpoch(std::optional<int64_t> epoch);
  void Plan(const storage::ClusterStanding& standing, bool leads_newly);
  absl::Status AnswerRequests();
  void Answer(const storage::RecalculationRequest& request);
  // Adds a demand for this replica's threads, unless one with this key is unfinished.
  void AskOnce(const std::string& key, Demand demand) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until these demands are done.
  void AwaitAsked() ABSL_LOCKS_EXCLUDED(mutex_);

  // --- On any thread -----------------------------------------------------------------------------

  // Makes the leader recalculate a cluster soon that was last recalculated at `last` and is due at
  // `due`. Returns its new due time.
  absl::Time Hasten(const std::string& cluster, absl::Time last, absl::Time due);
  SnapshotOr AskLeader(const std::string& cluster, std::optional<absl::Time> as_of);
  void HandleNotifications(const storage::Notifications& notifications) ABSL_LOCKS_EXCLUDED(mutex_);
  // The number of notifications that may announce an answer of the leader.
  int64_t answers() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until there are more than `seen` such notifications, with a time limit.
  void AwaitAnswer(int64_t seen) const ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  // For recalculations, so that recalculations and calls never wait for each other's connections.
  storage::Database recalculations_;
  SnapshotRegistry* const registry_;
  const threads::Clocks clocks_;
  const LoopOptions options_;
  Recalculator recalculator_;

  // Used by the loop's thread only.
  SnapshotFollower follower_;
  std::optional<int64_t> led_epoch_;
  // Ids at the last reading.
  absl::btree_map<std::string, int32_t> cluster_ids_;
  // Revisions that the schedule reflects.
  absl::btree_map<std::string, int64_t> planned_;

  mutable absl::Mutex mutex_;
  mutable absl::CondVar answered_;
  News news_ ABSL_GUARDED_BY(mutex_);
  int64_t answers_ ABSL_GUARDED_BY(mutex_) = 0;
  // Clusters whose last periodic recalculation failed.
  absl::btree_set<std::string> failing_ ABSL_GUARDED_BY(mutex_);
  absl::btree_set<std::string> asked_ ABSL_GUARDED_BY(mutex_);  // See AskOnce.

  threads::PeriodicThread thread_;
  RecalculationThreads threads_;
  Leadership leadership_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
