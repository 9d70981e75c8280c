// Threads that recalculate clusters side by side.
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
#include "server/priority/policy.h"
#include "server/recalculation/agenda.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::recalculation {

// Works off an Agenda. Thread-safe, but for Start and Stop.
class RecalculationThreads {
 public:
  struct Options {
    int threads = 1;
    threads::Clocks clocks;
    // Whether what is due is for this replica to do.
    std::function<bool()> leads;
    // Does the work, on one of the threads; of one cluster one at a time. It says by Reschedule
    // how that went.
    std::function<SnapshotOr(const Agenda::Work&)> work;
  };

  explicit RecalculationThreads(Options options);
  // Stops.
  ~RecalculationThreads();
  RecalculationThreads(const RecalculationThreads&) = delete;
  RecalculationThreads& operator=(const RecalculationThreads&) = delete;

  // Call once at most.
  void Start();

  // Finishes the work begun; what was asked for and is not begun is answered UNAVAILABLE. Later
  // calls do nothing.
  void Stop();

  // Returns at once. REQUIRES: not stopped.
  void Ask(Demand demand) ABSL_LOCKS_EXCLUDED(mutex_);

  // See Schedule.
  void Add(const std::string& cluster, absl::Time last, absl::Duration period)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  void Clear() ABSL_LOCKS_EXCLUDED(mutex_);
  // Answers when it is due now.
  std::optional<absl::Time> Hasten(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<absl::Time> DueAt(const std::string& cluster) const ABSL_LOCKS_EXCLUDED(mutex_);
  // A recalculation came to this: when the cluster is due again.
  void Reschedule(const std::string& cluster, const SnapshotOr& result) ABSL_LOCKS_EXCLUDED(mutex_);

  // Something may be due: the replica leads, or a clock was set.
  void Wake();
  void CheckClock();

 private:
  // Does one piece of work, if there is any.
  absl::Time Turn() ABSL_LOCKS_EXCLUDED(mutex_);
  // `next`: when there is more to take.
  std::optional<Agenda::Work> Take(absl::Time* next) ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;
  Agenda agenda_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<threads::PeriodicThread>> threads_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_THREADS_H_
