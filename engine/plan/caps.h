// The caps of a plan on the jobs that it considers.
#ifndef PRIORITYD_ENGINE_PLAN_CAPS_H_
#define PRIORITYD_ENGINE_PLAN_CAPS_H_

#include "absl/container/flat_hash_map.h"
#include "engine/plan/cluster.h"
#include "engine/plan/plan.h"

namespace priorityd::plan {

// Counts jobs against the caps of the options, from the first one that waits. `options` must
// outlive it.
class Caps {
 public:
  explicit Caps(const PlanOptions& options) : options_(options) {}

  bool HaveRoomFor(const WaitingJob& job) const {
    return looked_at_ < options_.max_job_test && !IsFull(users_, job.user, options_.max_job_user) &&
           !IsFull(associations_, job.association, options_.max_job_assoc) &&
           !IsFull(partitions_, PartitionOf(job), options_.max_job_part);
  }

  void Count(const WaitingJob& job, const JobPlan& plan) {
    if (looked_at_ == 0 && plan.wait == Wait::kNone) return;  // The main loop starts it.
    ++looked_at_;
    ++users_[job.user];
    ++associations_[job.association];
    ++partitions_[PartitionOf(job)];
  }

 private:
  static int PartitionOf(const WaitingJob& job) {
    return job.places.empty() ? -1 : job.places[0].partition;
  }

  using Counts = absl::flat_hash_map<int, int>;

  static bool IsFull(const Counts& counts, int key, int most) {
    const auto count = counts.find(key);
    return most > 0 && count != counts.end() && count->second >= most;
  }

  const PlanOptions& options_;
  int looked_at_ = 0;
  Counts users_, associations_, partitions_;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_CAPS_H_
