// The work of the recalculation threads.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_WORKER_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_WORKER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/recalculation/agenda.h"
#include "server/recalculation/leadership.h"
#include "server/recalculation/loop_options.h"
#include "server/recalculation/recalculation.h"
#include "server/recalculation/recalculation_threads.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/clock.h"
#include "storage/database/database.h"

namespace priorityd::recalculation {

// Recalculates a cluster, publishes the snapshot, reports it to the observers and says when the
// cluster is due again. A failed periodic recalculation is logged once; the old snapshot stays.
// Thread-safe, with at most one Work at a time per cluster.
class RecalculationWorker {
 public:
  // All must outlive it.
  RecalculationWorker(storage::Database* database, SnapshotRegistry* registry,
                      const threads::Clocks& clocks, const LoopOptions& options,
                      const Leadership* leadership, RecalculationThreads* threads)
      : registry_(registry),
        clocks_(clocks),
        options_(options),
        leadership_(leadership),
        threads_(threads),
        recalculator_(database, options.history) {}

  // See RecalculationThreads::Options. Errors of Recalculator.
  SnapshotOr Work(const Agenda::Work& work) ABSL_LOCKS_EXCLUDED(mutex_);

  // The next recalculations read all of their input again.
  void ForgetInputs() { recalculator_.Forget(); }

 private:
  SnapshotOr RecalculateAndReport(const Agenda::Work& work);
  // Recalculates, publishes, reschedules.
  SnapshotOr Recalculate(const std::string& cluster, std::optional<absl::Time> as_of,
                         RecalculationStages* stages);
  // For replicas that compute other numbers for this generation.
  SnapshotOr PublishNumbers(const std::string& cluster, int64_t generation);
  // See RecalculationTime::latest.
  absl::Time LatestTime() const;
  void LogPeriodic(const std::string& cluster, const absl::Status& status)
      ABSL_LOCKS_EXCLUDED(mutex_);

  SnapshotRegistry* const registry_;
  const threads::Clocks& clocks_;
  const LoopOptions& options_;
  const Leadership* const leadership_;
  RecalculationThreads* const threads_;
  Recalculator recalculator_;

  absl::Mutex mutex_;
  // Clusters whose last periodic recalculation failed.
  absl::btree_set<std::string> failing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_WORKER_H_
