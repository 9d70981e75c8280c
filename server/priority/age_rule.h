// When a waiting job gains no age (docs/semantics.md, section 6, "age").
#ifndef PRIORITYD_SERVER_PRIORITY_AGE_RULE_H_
#define PRIORITYD_SERVER_PRIORITY_AGE_RULE_H_

#include <cstdint>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "server/priority/job.h"
#include "server/priority/job_resolution.h"
#include "server/priority/limits.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

// Judges jobs one after another, remembering what limits allow. `snapshot` must outlive it.
// Thread-compatible.
class AgeRule {
 public:
  explicit AgeRule(const Snapshot& snapshot) : snapshot_(snapshot), limits_(snapshot.limits()) {}

  // Whether the age of a pending job stands still whatever the moment: it is held, has an unmet
  // dependency, or in each of its pairs it alone exceeds the node or time limits of the partition,
  // MaxWall, or a limit on nodes. Those limits stop nothing under ACCRUE_ALWAYS, nor where the job
  // has no pair at all. `resolved` is what the job resolves to in the snapshot, `nodes` its TRES
  // `node` (TresCountOf).
  bool StandsStill(const Job& job, const ResolvedJob& resolved, double nodes);

 private:
  // What limits of associations and QOS allow a job of a class.
  struct Most {
    double seconds = std::numeric_limits<double>::infinity();
    double nodes = std::numeric_limits<double>::infinity();
  };
  // The chain of limits of an association, and the number of the QosOrder.
  using Class = std::pair<int32_t, int32_t>;

  bool Fits(const Job& job, double nodes, AssociationIndex association, int partition, int qos);
  const Most& MostOf(AssociationIndex association, const QosOrder& order);

  const Snapshot& snapshot_;
  const Limits& limits_;
  absl::flat_hash_map<Class, Most> most_;
};

// When a job that does not accrue goes on accruing if nothing stops it any more at `now`: then, or
// at its begin time. REQUIRES: accrual_stopped.
absl::Time AccruesFrom(const Job& job, absl::Time now);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_AGE_RULE_H_
