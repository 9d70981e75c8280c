// Threads that recalculate clusters in parallel.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_THREADS_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_THREADS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/site/policy.h"
#include "server/recalculation/agenda.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::recalculation {

// Executes the work of an Agenda. Thread-safe, except Start and Stop.
class RecalculationThreads {
 public:
  struct Options {
    int threads = 1;
    threads::Clocks clocks;
    // Whether this replica handles due clusters.
    std::function<bool()> leads;
    // Does the work on one of the threads, one piece at a time per cluster, and reports the result
    // with Reschedule.
    std::function<SnapshotOr(const Agenda::Work&)> work;
  };

  explicit RecalculationThreads(Options options);
  // Stops.
  ~RecalculationThreads();
  RecalculationThreads(const RecalculationThreads&) = delete;
  RecalculationThreads& operator=(const RecalculationThreads&) = delete;

  // Call at most once.
  void Start();

  // Finishes running work; demands not started are answered UNAVAILABLE (NOT_LEADER), since the
  // next leader does them. Later calls do nothing.
  void Stop();

  // Does not wait. REQUIRES: not stopped.
  void Ask(Demand demand) ABSL_LOCKS_EXCLUDED(mutex_);

  // See Schedule.
  void Add(const std::string& cluster, absl::Time last, absl::Duration period, absl::Time wake)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  void Clear() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns its new due time.
  std::optional<absl::Time> Hasten(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<absl::Time> DueAt(const std::string& cluster) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Sets when the cluster is due again after this result of a recalculation; `wake`: see Schedule.
  void Reschedule(const std::string& cluster, const SnapshotOr& result, absl::Time wake)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Call when work may be due: the replica leads, or a clock was set.
  void Wake();
  void CheckClock();

 private:
  // Does one piece of work, if there is one.
  absl::Time Turn() ABSL_LOCKS_EXCLUDED(mutex_);
  // `next`: when the next work is available.
  std::optional<Agenda::Work> NextWork(absl::Time* next) ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;
  Agenda agenda_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<threads::PeriodicThread>> threads_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_THREADS_H_
