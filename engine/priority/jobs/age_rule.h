// The conditions under which a waiting job accrues no age (docs/semantics.md, section 6, "age").
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_AGE_RULE_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_AGE_RULE_H_

#include <cstdint>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/limits/limits.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// Decides for one job after another; caches the limits of each class of jobs. `snapshot` must
// outlive it. Thread-compatible.
class AgeRule {
 public:
  explicit AgeRule(const Snapshot& snapshot) : snapshot_(snapshot), limits_(snapshot.limits()) {}

  // Whether the age of a pending job stands still, whatever the time: the job is held, has an
  // unmet dependency, or in each of its pairs exceeds by itself the node or time limit of the
  // partition, MaxWall, or a limit on nodes. Under ACCRUE_ALWAYS, and for a job without pairs,
  // these limits do not stop age. `resolved`: the job as resolved in the snapshot; `nodes`: its
  // count of the TRES `node` (TresCountOf).
  bool StandsStill(const Job& job, const ResolvedJob& resolved, double nodes);

 private:
  // The largest request of a class of jobs that the limits of associations and QOS allow.
  struct Most {
    double seconds = std::numeric_limits<double>::infinity();
    double nodes = std::numeric_limits<double>::infinity();
  };
  // Jobs of one class meet the same limits: Limits::ChainOf(association), QosOrder::number.
  using Class = std::pair<int32_t, int32_t>;

  bool Fits(const Job& job, double nodes, AssociationIndex association, int partition, int qos);
  const Most& MostOf(AssociationIndex association, const QosOrder& order);

  const Snapshot& snapshot_;
  const Limits& limits_;
  absl::flat_hash_map<Class, Most> most_;
};

// The time from which a stopped job accrues again, given that nothing stops it at `now`: `now` or
// its begin time, whichever is later. REQUIRES: accrual_stopped.
absl::Time AccruesFrom(const Job& job, absl::Time now);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_AGE_RULE_H_
