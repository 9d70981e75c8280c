// How many jobs may stand in the queue: MaxSubmitJobs, GrpSubmitJobs and their like.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "server/priority/job_resolution.h"
#include "server/priority/limit_counts.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Why a job is refused.
struct Refusal {
  std::string reason;  // Slurm's word.
  std::string message;
  bool by_snapshot = false;  // By its configuration; what is stored since may not refuse it.
  std::string field = {};    // Of the job, where what one names is at fault.
};

// Counts pending, running and suspended jobs, every array task by itself, as jobs
// come and go. MaxSubmitJobs is a user association's own or that of the nearest
// account above it, and counts the jobs of that one association; GrpSubmitJobs counts those of an
// account and all below it, or of a QOS; MaxSubmitJobsPerUser and PerAccount count a user's or an
// account's under a QOS, by the first pair that each job can have. A QOS's limit is looked at
// instead of the association's of its kind. A job that resolves to no association is not
// limited. `state` must outlive it. Thread-compatible.
class SubmitLimits {
 public:
  explicit SubmitLimits(const QueueState& state);

  // Why the job cannot take the place of `before` (null = it is new), which counts
  // no more. It is never refused for what it does not add to.
  std::optional<Refusal> Check(const TrackedJob& job, const TrackedJob* before);

  // Counts a job from now on, or (`there` false) no longer.
  void Count(const TrackedJob& job, bool there);

 private:
  priority::CountedJob CountedOf(const TrackedJob& job);
  // Whether the limit counts both.
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

// What Slurm says to a job that a limit refuses, before what is said of the limit.
inline constexpr absl::string_view kLimitRefused =
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)";

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_
