// The loop that owns the clock.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/priority/snapshot.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database.h"

namespace priorityd::recalculation {

// When a periodic recalculation comes next: the first moment after `now` that is
// a whole number of periods after `anchor`, so that neither a slow nor a late one
// shifts the schedule. REQUIRES: period > 0.
absl::Time NextDue(absl::Time anchor, absl::Duration period, absl::Time now);

// Recalculates every cluster on the real clock each PriorityCalcPeriod, and any
// cluster on demand, one at a time on a thread of its own, and publishes what
// comes out. A failed one is logged and tried again; the old snapshot stays.
// Thread-safe.
class RecalculationLoop {
 public:
  // The clock; the real one is absl::Now.
  using Clock = std::function<absl::Time()>;

  // `database` and `registry` must outlive the loop.
  RecalculationLoop(storage::Database* database, SnapshotRegistry* registry, Clock clock);
  // Finishes the recalculation at work; those still waiting are answered
  // UNAVAILABLE.
  ~RecalculationLoop();
  RecalculationLoop(const RecalculationLoop&) = delete;
  RecalculationLoop& operator=(const RecalculationLoop&) = delete;

  // Makes all clusters known, recalculates each that has a time to be
  // recalculated for, and starts the thread. Fails only if the clusters cannot
  // be listed. Call once.
  absl::Status Start();

  // Recalculates now and waits for it. Errors of Recalculate.
  absl::StatusOr<std::shared_ptr<const Snapshot>> RecalculateNow(
      const std::string& cluster, std::optional<absl::Time> as_of = std::nullopt);

  // Tells the loop that a cluster was created or changed. One that has never been
  // recalculated is at once, unless its clock is manual. Answers when the change
  // takes effect; nullopt = when Recalculate is called.
  absl::StatusOr<std::optional<absl::Time>> TakeUp(const std::string& cluster);

  // When the next periodic recalculation of a cluster is due, for tests and
  // status; nullopt if there is none.
  std::optional<absl::Time> DueAt(const std::string& cluster) const;

  // Makes the loop look at its clock again; a clock that is set calls it.
  void Wake();

 private:
  struct Demand {
    std::string cluster;
    std::optional<absl::Time> as_of;
    std::promise<absl::StatusOr<std::shared_ptr<const Snapshot>>> result;
  };
  // A cluster that takes part in the schedule.
  struct Schedule {
    absl::Time due = absl::InfinitePast();
    absl::Time anchor = absl::InfinitePast();  // The first one of this period.
    absl::Duration period;
  };

  void Run();
  // The next thing to do: a demand, else the cluster that is due (in `cluster`).
  // False when the loop stops.
  bool AwaitWork(std::shared_ptr<Demand>* demand, std::string* cluster);
  std::optional<std::string> DueCluster(absl::Time now) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  absl::Time NextWake() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  // Recalculates, publishes, reschedules.
  absl::StatusOr<std::shared_ptr<const Snapshot>> Pass(const std::string& cluster,
                                                       std::optional<absl::Time> as_of);
  void Reschedule(const std::string& cluster, const absl::StatusOr<Policy>& policy);

  storage::Database* const database_;
  SnapshotRegistry* const registry_;
  const Clock clock_;

  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::shared_ptr<Demand>> demands_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<std::string, Schedule> schedules_ ABSL_GUARDED_BY(mutex_);
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_LOOP_H_
