// Limits on the number of jobs in the queue: MaxSubmitJobs, GrpSubmitJobs and similar.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/limits/limit_counts.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The reason that a job is refused.
struct Refusal {
  std::string reason;  // Slurm's name of the reason.
  std::string message;
  bool by_snapshot = false;  // By the snapshot's configuration; the stored one may accept the job.
  std::string field = {};    // The job's field at fault, if any.
  std::string quota = {};    // The name of the quota that is full, if any.
};

// Counts pending, running and suspended jobs, each array task as one, as jobs are added and
// removed. MaxSubmitJobs is a user association's own or that of the nearest account above it, and
// counts the jobs of that one association; GrpSubmitJobs counts those of an account and all below
// it, or of a QOS; MaxSubmitJobsPerUser and PerAccount count a user's or an account's under a QOS,
// by the first pair that each job can have. A QOS's limit replaces the association's limit of the
// same kind. A job that resolves to no association is not limited. `state` must outlive it.
// Thread-compatible.
class SubmitLimits {
 public:
  explicit SubmitLimits(const QueueState& state);

  // The reason that the job cannot replace `before` (null = the job is new), which no longer
  // counts. A job is never refused by a limit whose count it does not increase.
  std::optional<Refusal> Check(const TrackedJob& job, const TrackedJob* before);

  // Adds a job to the counts, or removes it (`there` false).
  void Count(const TrackedJob& job, bool there);

 private:
  priority::CountedJob CountedOf(const TrackedJob& job);
  // Whether the limit counts both in the same counter.
  bool SameCounter(const priority::Limit& limit, const priority::CountedJob& now,
                   const priority::CountedJob& then) const;
  std::optional<Refusal> CheckLimit(const priority::Limit& limit, const priority::CountedJob& now,
                                    const priority::CountedJob& then) const;
  // `user ann in account physics`.
  std::string Holder(const priority::Limit& limit, priority::AssociationIndex association) const;

  const priority::Snapshot& snapshot_;
  const priority::Limits& limits_;
  priority::LimitCounts counts_;
  priority::JobResolver resolver_;
};

// Slurm's message for a job that a limit refuses; the limit's description follows it.
inline constexpr absl::string_view kLimitRefused =
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)";

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_
