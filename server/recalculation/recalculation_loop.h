// The loop that owns the clock.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

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
#include "server/recalculation/snapshot_registry.h"
#include "storage/database.h"

namespace priorityd::recalculation {

// When a periodic recalculation comes next: the first moment after `now` that is
// a whole number of periods after `anchor`, so that neither a slow nor a late one
// shifts the schedule. REQUIRES: period > 0.
absl::Time NextDue(absl::Time anchor, absl::Duration period, absl::Time now);

struct LoopOptions {
  LeadershipOptions leadership;
  HistoryOptions history;
  // Called on the loop's thread after it has looked for news: when anybody notified
  // the replicas, and every few seconds. Must not wait for long.
  std::function<void()> on_news;
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
  // The clock; the real one is absl::Now.
  using Clock = std::function<absl::Time()>;

  // `database` and `registry` must outlive the loop.
  RecalculationLoop(storage::Database* database, SnapshotRegistry* registry, Clock clock,
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

  // Tells the loop that a cluster was created or changed. One that has never been
  // recalculated is at once, unless its clock is manual. Answers when the change
  // takes effect; nullopt = when Recalculate is called.
  absl::StatusOr<std::optional<absl::Time>> TakeUp(const std::string& cluster);

  // When this replica recalculates a cluster next, for tests and status; nullopt
  // if it does not.
  std::optional<absl::Time> DueAt(const std::string& cluster) const;

  // Whether this replica is the one that recalculates.
  bool leads() const { return leadership_.epoch().has_value(); }

  // Makes the loop look at its clock again; a clock that is set calls it.
  void Wake();

 private:
  struct Demand {
    std::string cluster;
    std::optional<absl::Time> as_of;
    std::promise<absl::StatusOr<std::shared_ptr<const priority::Snapshot>>> result;
  };
  // A cluster that takes part in the schedule.
  struct Schedule {
    absl::Time due = absl::InfinitePast();
    absl::Time anchor = absl::InfinitePast();  // The first one of this period.
    absl::Duration period;
  };
  // The next thing to do, the first of these that is set.
  struct Work {
    bool stop = false;
    bool news = false;
    std::shared_ptr<Demand> demand;
    std::string due_cluster;
  };

  void Run();
  Work AwaitWork();
  std::optional<std::string> DueCluster(absl::Time now) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  absl::Time NextWake() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void RecalculateDue(const std::string& cluster);
  // Recalculates, publishes, reschedules.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Pass(const std::string& cluster,
                                                                 std::optional<absl::Time> as_of);
  void Reschedule(const std::string& cluster, const absl::StatusOr<priority::Policy>& policy);

  // Loads what is new; the leader also plans and does what others ask for.
  absl::Status CatchUp();
  // Takes note of whether this replica leads; true when it has just begun to.
  bool NoteLeadership(std::optional<int64_t> epoch);
  absl::Status Load(const storage::ClusterStanding& standing);
  void Plan(const storage::ClusterStanding& standing, bool has_just_begun);
  absl::Status DoWhatOthersAskFor();
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> AskLeader(
      const std::string& cluster, std::optional<absl::Time> as_of);

  storage::Database* const database_;
  SnapshotRegistry* const registry_;
  const Clock clock_;
  const LoopOptions options_;

  // Of the thread.
  Recalculator recalculator_;
  SnapshotLoader loader_;
  std::optional<int64_t> led_epoch_;
  bool had_news_ = false;  // The last thing it did was to look for news.
  // Revisions that the plan takes account of.
  absl::btree_map<std::string, int64_t> planned_;
  // Clusters whose last periodic recalculation failed.
  absl::btree_set<std::string> failing_;

  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::shared_ptr<Demand>> demands_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<std::string, Schedule> schedules_ ABSL_GUARDED_BY(mutex_);
  bool news_ ABSL_GUARDED_BY(mutex_) = false;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  Leadership leadership_;
  std::thread thread_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
