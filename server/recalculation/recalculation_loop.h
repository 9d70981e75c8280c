// The loop that recalculates on time and on demand.
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
#include "server/priority/snapshot.h"
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
  // Clusters that are recalculated side by side, each by a thread with a database connection.
  int threads = 4;
  // The site's clock stands for the database's: no recalculation is for a later time than that.
  bool by_database = false;
  // Called on the loop's thread when others changed tracked queues of these clusters, or what
  // the leader published of them is loaded, and every few seconds for all of them. Must not
  // wait for long.
  std::function<void(const ClusterNames&)> on_notified;
  // Called on the loop's thread when a cluster is no more, or one made anew under its name. Must
  // not wait for long.
  std::function<void(const std::string& cluster)> on_deleted;
  // Called on the thread that has recalculated a cluster after it published the snapshot. Must
  // return at once.
  std::function<void(std::shared_ptr<const priority::Snapshot>)> on_recalculated;
  // Told of each recalculation. Must outlive the loop.
  RecalculationObservers observers;
  // How long a replica waits for the leader to recalculate.
  absl::Duration patience = absl::Seconds(30);
};

// Keeps the registry's snapshots the newest ones. On the leader it recalculates
// every cluster on the real clock each PriorityCalcPeriod, and any cluster on
// demand of any replica, different ones side by side; on the others it
// loads what the leader published. A failed one is logged and tried again; the
// old snapshot stays. Thread-safe.
class RecalculationLoop {
 public:
  // `database` and `registry` must outlive the loop. It opens connections of its own too.
  RecalculationLoop(storage::Database* database, SnapshotRegistry* registry, threads::Clocks clocks,
                    LoopOptions options = {});
  // Finishes the recalculations at work; those still waiting are answered
  // UNAVAILABLE.
  ~RecalculationLoop();
  RecalculationLoop(const RecalculationLoop&) = delete;
  RecalculationLoop& operator=(const RecalculationLoop&) = delete;

  // Makes all clusters known, loads their snapshots, recalculates, if this replica
  // leads, each that has none and a time to be recalculated for, and starts the
  // threads. Fails only if the clusters cannot be listed. Call once.
  absl::Status Start();

  // Recalculates now, or has the leader do it, and waits for it. Errors of
  // Recalculator; UNAVAILABLE if no leader answers in time.
  SnapshotOr RecalculateNow(const std::string& cluster,
                            std::optional<absl::Time> as_of = std::nullopt);

  // What a change of the configuration waits for.
  enum class Pace {
    kPeriodic,  // The next periodic recalculation.
    kSoon,      // One that is made for it, and for others that come within a second.
  };

  // Adds a cluster that was created or changed to the schedule. One that has never been
  // recalculated is at once, unless its clock is manual. Answers when the change
  // takes effect: every snapshot computed then or later has it; nullopt = when Recalculate is
  // called.
  absl::StatusOr<std::optional<absl::Time>> ScheduleCluster(const std::string& cluster,
                                                            Pace pace = Pace::kPeriodic);

  // When this replica recalculates a cluster next, for tests and status; nullopt
  // if it does not.
  std::optional<absl::Time> DueAt(const std::string& cluster) const {
    return threads_.DueAt(cluster);
  }

  // Whether this replica is the one that recalculates.
  bool leads() const { return leadership_.epoch().has_value(); }

  // What recalculations use.
  const storage::Database& recalculations() const { return recalculations_; }

  // See Leadership.
  bool clock_agrees() const { return leadership_.clock_agrees(); }

  // A clock that was set calls it: what is due by now is recalculated.
  void CheckClock() { threads_.CheckClock(); }

 private:
  // --- On the threads that recalculate ---------------------------------------------------------

  SnapshotOr Work(const Agenda::Work& work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Recalculates, publishes, reschedules.
  SnapshotOr Recalculate(const std::string& cluster, std::optional<absl::Time> as_of,
                         RecalculationStages* stages);
  // What RecalculationTime calls so.
  absl::Time LatestTime() const {
    if (!options_.by_database) return absl::InfiniteFuture();
    return clocks_.host() + options_.leadership.max_clock_offset;
  }
  // The same, told to the observers.
  SnapshotOr RecalculateAndReport(const Agenda::Work& work);
  // For replicas that come to other ones than those of this generation.
  SnapshotOr PublishNumbers(const std::string& cluster, int64_t generation);
  void LogDue(const std::string& cluster, const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- On the loop's thread --------------------------------------------------------------------

  void ReadNews() ABSL_LOCKS_EXCLUDED(mutex_);
  // Loads what the leader published; the leader itself schedules clusters and answers
  // requests of other replicas. `names` = whose; all of them where that is not enough.
  absl::Status LoadPublished(const ClusterNames& names);
  // Forgets the clusters that are not in `standings`, which are those of `names`, any more, or are
  // others. `known`: what the registry had before they were read.
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
  // Asks this replica's own threads, unless that was asked for by this key and is not done.
  void AskOnce(const std::string& key, Demand demand) ABSL_LOCKS_EXCLUDED(mutex_);
  // Until what was asked for is done.
  void AwaitAsked() ABSL_LOCKS_EXCLUDED(mutex_);

  // --- On any thread -----------------------------------------------------------------------------

  // Has the leader recalculate a cluster soon that was recalculated last at `last` and is due at
  // `due`. Answers when it is due now.
  absl::Time Hasten(const std::string& cluster, absl::Time last, absl::Time due);
  SnapshotOr AskLeader(const std::string& cluster, std::optional<absl::Time> as_of);
  void HandleNotifications(const storage::Notifications& notifications) ABSL_LOCKS_EXCLUDED(mutex_);
  // How many may have been answers of the leader.
  int64_t answers() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for another one than the `seen` first ones, or a while.
  void AwaitAnswer(int64_t seen) const ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  // For recalculations, so that neither they nor calls wait for the other's connections.
  storage::Database recalculations_;
  SnapshotRegistry* const registry_;
  const threads::Clocks clocks_;
  const LoopOptions options_;
  Recalculator recalculator_;

  // Of the loop's thread.
  SnapshotFollower follower_;
  std::optional<int64_t> led_epoch_;
  // As they were seen last.
  absl::btree_map<std::string, int32_t> cluster_ids_;
  // Revisions that the schedule takes account of.
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
