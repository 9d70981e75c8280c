// The loop that recalculates on time and on demand.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/priority/snapshot.h"
#include "server/recalculation/leadership.h"
#include "server/recalculation/published_snapshot.h"
#include "server/recalculation/recalculation.h"
#include "server/recalculation/schedule.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database.h"
#include "storage/snapshot_store.h"

namespace priorityd::recalculation {

struct LoopOptions {
  LeadershipOptions leadership;
  HistoryOptions history;
  // Called on the loop's thread after the replicas were notified, and every few
  // seconds, when what the leader published is loaded. Must not wait for long.
  std::function<void()> on_notified;
  // Called on the loop's thread after this replica has recalculated a cluster and
  // published the snapshot. Must return at once.
  std::function<void(std::shared_ptr<const priority::Snapshot>)> on_recalculated;
  // How long a replica waits for the leader to recalculate.
  absl::Duration patience = absl::Seconds(30);
};

// Keeps the registry's snapshots the newest ones. On the leader it recalculates
// every cluster on the real clock each PriorityCalcPeriod, and any cluster on
// demand of any replica, one at a time on a thread of its own; on the others it
// loads what the leader published. A failed one is logged and tried again; the
// old snapshot stays. Thread-safe.
class RecalculationLoop {
 public:
  // `database` and `registry` must outlive the loop.
  RecalculationLoop(storage::Database* database, SnapshotRegistry* registry, threads::Clocks clocks,
                    LoopOptions options = {});
  // Finishes the recalculation at work; those still waiting are answered
  // UNAVAILABLE.
  ~RecalculationLoop();
  RecalculationLoop(const RecalculationLoop&) = delete;
  RecalculationLoop& operator=(const RecalculationLoop&) = delete;

  // Makes all clusters known, loads their snapshots, recalculates, if this replica
  // leads, each that has none and a time to be recalculated for, and starts the
  // thread. Fails only if the clusters cannot be listed. Call once.
  absl::Status Start();

  // Recalculates now, or has the leader do it, and waits for it. Errors of
  // Recalculator; UNAVAILABLE if no leader answers in time.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> RecalculateNow(
      const std::string& cluster, std::optional<absl::Time> as_of = std::nullopt);

  // Adds a cluster that was created or changed to the schedule. One that has never been
  // recalculated is at once, unless its clock is manual. Answers when the change
  // takes effect; nullopt = when Recalculate is called.
  absl::StatusOr<std::optional<absl::Time>> ScheduleCluster(const std::string& cluster);

  // When this replica recalculates a cluster next, for tests and status; nullopt
  // if it does not.
  std::optional<absl::Time> DueAt(const std::string& cluster) const;

  // Whether this replica is the one that recalculates.
  bool leads() const { return leadership_.epoch().has_value(); }

  // A clock that was set calls it: what is due by now is recalculated.
  void CheckClock() { thread_.CheckClock(); }

 private:
  struct Demand {
    std::string cluster;
    std::optional<absl::Time> as_of;
    std::promise<absl::StatusOr<std::shared_ptr<const priority::Snapshot>>> result;
  };

  // Does one of each kind of work that waits; returns when there is more.
  absl::Time Turn();
  bool TakeNotification();
  std::shared_ptr<Demand> TakeDemand();  // Null if there is none.
  std::optional<std::string> DueCluster() const;
  absl::Time NextTurn() const;

  void RecalculateDue(const std::string& cluster);
  // Recalculates, publishes, reschedules.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Recalculate(
      const std::string& cluster, std::optional<absl::Time> as_of);
  void Reschedule(const std::string& cluster,
                  const absl::StatusOr<std::shared_ptr<const priority::Snapshot>>& result);

  // Loads what the leader published; the leader itself schedules clusters and answers
  // requests of other replicas.
  absl::Status LoadPublished();
  // The epoch this replica leads in, if any; true when it is a new one.
  bool SetEpoch(std::optional<int64_t> epoch);
  absl::Status Load(const storage::ClusterStanding& standing);
  // For replicas that come to other ones.
  void PublishNumbers(const storage::ClusterStanding& standing, int64_t epoch);
  void Plan(const storage::ClusterStanding& standing, bool leads_newly);
  absl::Status AnswerRequests();

  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> AskLeader(
      const std::string& cluster, std::optional<absl::Time> as_of);
  void HandleNotification();
  // How many there were.
  int64_t notifications() const;
  // Waits for another one than the `seen` first ones, or a while.
  void AwaitNotification(int64_t seen) const;

  storage::Database* const database_;
  SnapshotRegistry* const registry_;
  const threads::Clocks clocks_;
  const LoopOptions options_;

  // Of the thread.
  Recalculator recalculator_;
  SnapshotLoader loader_;
  // Of a cluster that was loaded last: they were asked for.
  bool lacks_numbers_ = false;
  std::optional<int64_t> led_epoch_;
  int64_t handled_notifications_ = 0;
  // Revisions that the schedule takes account of.
  absl::btree_map<std::string, int64_t> planned_;
  // Clusters whose last periodic recalculation failed.
  absl::btree_set<std::string> failing_;

  mutable absl::Mutex mutex_;
  mutable absl::CondVar notified_;
  int64_t notifications_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<std::shared_ptr<Demand>> demands_ ABSL_GUARDED_BY(mutex_);
  Schedule schedule_ ABSL_GUARDED_BY(mutex_);
  threads::PeriodicThread thread_;
  Leadership leadership_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
