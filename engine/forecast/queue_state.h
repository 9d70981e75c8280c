// The state of a queue, kept event by event, as features of a job.
#ifndef PRIORITYD_ENGINE_FORECAST_QUEUE_STATE_H_
#define PRIORITYD_ENGINE_FORECAST_QUEUE_STATE_H_

#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "engine/forecast/features.h"
#include "engine/forecast/job.h"

namespace priorityd::forecast {

// What waits, what runs, and the last waits of users, accounts, partitions and shapes of jobs.
//
// A row for a job at a time knows all submissions before it in the order of calls, and of starts,
// ends and cancellations those of earlier seconds only.
//
// Memory: about 1 kB for each job that waits or runs, and rings of a few numbers for the
// kMostNames users, accounts and shapes that were seen last; older ones are forgotten.
//
// Not thread-safe.
class QueueState {
 public:
  static constexpr size_t kMostNames = 20'000;

  // `capacity`: CPUs of the cluster (nodes, where jobs count nodes); 0 = not known: the greatest
  // load so far.
  explicit QueueState(double capacity = 0);
  ~QueueState();
  QueueState(QueueState&&) noexcept;
  QueueState& operator=(QueueState&&) noexcept;

  void SetCapacity(double capacity);

  // The row of a job that is submitted at `now`, or waits since then. Events of earlier seconds
  // count from then on for good: `now` never decreases.
  Row MakeRow(const Job& job, Seconds now);

  // A job waits. Makes its row at its submit time, which each of its examples has. False: such an
  // id waits or runs already, or the job is not valid (cpus above 0, limit at least 0).
  bool Submit(const Job& job);
  // These return false for an id that does not wait (End: does not run).
  bool Start(absl::string_view id, Seconds time);
  bool Cancel(absl::string_view id, Seconds time);
  bool End(absl::string_view id, Seconds time);

  // Null: no such job waits.
  const Row* RowOf(absl::string_view waiting_id) const;

  // Forgets waits and starts: a new policy begins. What waits and runs stays.
  void ForgetWaits();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_QUEUE_STATE_H_
