// The planned starts of the waiting jobs of a ranked queue, and the reasons that they wait.
#ifndef PRIORITYD_ENGINE_SCHEDULING_QUEUE_PLAN_H_
#define PRIORITYD_ENGINE_SCHEDULING_QUEUE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "engine/plan/cluster.h"
#include "engine/plan/plan.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/scheduling/described_cluster.h"
#include "engine/scheduling/planned_queue.h"

namespace priorityd::scheduling {

// Slurm's word for the reason that a job waits, empty if it starts now, and a sentence for the
// user.
struct StartReason {
  std::string reason;
  std::string sentence;
};

// Whether a plan may reserve nodes for the job: not if the QOS of its row has the flag NoReserve or
// a MinPrioThresh above its priority.
bool Reserves(const priority::Snapshot& snapshot, const priority::JobRow& row);

// A further place of a waiting job, with what differs there from the request and the time limit
// that it has in its first one.
plan::Place FurtherPlace(const DescribedCluster& cluster, const priority::Job& job, int partition,
                         const plan::WaitingJob& waiting);

// The plan of the jobs that may start, numbered from 0 in the order of their first rows. A job has
// a place for each of its rows; Reserves is asked for its first row. A job that would exceed a
// limit beside those that start before it does not start, and has no planned start: it waits as one
// that the running jobs hold. Limits are not looked at for starts later than now. Immutable.
class QueuePlan {
 public:
  // The references must outlive it.
  QueuePlan(const PlannedQueue& queue, const DescribedCluster& cluster,
            const plan::PlanOptions& options);

  size_t size() const { return plans_.size(); }
  const plan::JobPlan& plan(size_t job) const { return plans_[job]; }
  // The job's first row, and its row of the place in the plan.
  const priority::RankedRow& first_row(size_t job) const { return *rows_[job].front(); }
  const priority::RankedRow& row(size_t job) const { return *rows_[job][plans_[job].place]; }

  // The job for which it waits; null if there is none, or it is unknown.
  const priority::JobRow* Behind(size_t job) const;

  // `behind`: the id of that job; empty = do not name it. REQUIRES: the job was considered
  // (plan::Wait::kNotLookedAt).
  StartReason ReasonOf(size_t job, absl::string_view behind) const;

  // The number of running jobs for which there is no room on the nodes.
  uint32_t CountRunningWithoutNodes() const;

 private:
  class Gate;

  // A job's first row adds it to the waiting jobs; each row adds a place.
  void AddRow(const priority::RankedRow& row);
  std::string ExpectedStart(size_t job) const;
  // A cap or a license of which there is too little for the job in each of its places: the one in
  // the first; -1 = none.
  int TooSmallPool(size_t job) const;
  // Null = the job names none.
  const priority::Reservation* ReservationOf(size_t job) const;
  // The one that closes nodes to a job that waits for no other job; null = none.
  const priority::Reservation* DelayingReservation(size_t job) const;

  const PlannedQueue& queue_;
  const DescribedCluster& cluster_;
  std::vector<plan::RunningJob> running_;
  std::vector<plan::WaitingJob> waiting_;
  // Of each waiting job, in order of its places.
  std::vector<std::vector<const priority::RankedRow*>> rows_;
  absl::flat_hash_map<uint32_t, size_t> number_of_;
  absl::flat_hash_map<absl::string_view, int> users_;
  // Of the jobs that a limit holds in some place: the limit in the first such place.
  absl::flat_hash_map<size_t, priority::ExceededLimit> limits_;
  std::vector<plan::JobPlan> plans_;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_QUEUE_PLAN_H_
