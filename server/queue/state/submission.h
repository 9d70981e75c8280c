// Which jobs Slurm would not take at all.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_

#include <optional>

#include "server/priority/eligibility.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job_resolution.h"
#include "server/priority/limit_check.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Refuses what the policy says is to be refused: by AccountingStorageEnforce jobs without an
// association and of a QOS that they may not have, by EnforcePartLimits those that do not fit
// their partitions, and by the QOS flag DenyOnLimit those that alone are more than a limit allows.
// Without those parameters nothing but DenyOnLimit refuses. `state` must outlive it.
// Thread-compatible.
class Submission {
 public:
  explicit Submission(const QueueState& state);

  // For a pending job that is new.
  std::optional<Refusal> Refuse(const TrackedJob& job);

 private:
  std::optional<Refusal> RefuseAssociation(const priority::Job& job,
                                           const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefusePartitions(const priority::Job& job,
                                          const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefuseOverLimit(const priority::Job& job,
                                         const priority::ResolvedJob& resolved) const;
  // Why the job does not fit the partition; nullopt = it does, or waits for what may change.
  std::optional<Refusal> MisfitOf(const priority::Job& job, const priority::ResolvedJob& resolved,
                                  int partition) const;

  const QueueState& state_;
  const priority::Snapshot& snapshot_;
  priority::JobResolver resolver_;
  std::optional<priority::Eligibility> eligibility_;  // Where EnforcePartLimits asks for it.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_
