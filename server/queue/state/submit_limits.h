// How many jobs may stand in the queue: MaxSubmitJobs and MaxSubmitJobsPerUser.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "server/priority/job_resolution.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Why a job is refused.
struct ExceededSubmitLimit {
  absl::string_view reason;  // Slurm's word; static storage.
  std::string message;
};

// Counts pending, running and suspended jobs, every array task by itself, as jobs
// come and go. MaxSubmitJobs is a user association's own or that of the nearest
// account above it, and counts the jobs of that one association;
// MaxSubmitJobsPerUser counts a user's jobs under a QOS in all accounts, by the
// first QOS that each can have. A job that resolves to no association is not
// limited. `state` must outlive it. Thread-compatible.
class SubmitLimits {
 public:
  explicit SubmitLimits(const QueueState& state);

  // Why the job cannot take the place of `before` (null = it is new), which counts
  // no more. It is never refused for what it does not add to.
  std::optional<ExceededSubmitLimit> Check(const TrackedJob& job, const TrackedJob* before);

  // Counts a job from now on, or (`there` false) no longer.
  void Count(const TrackedJob& job, bool there);

 private:
  struct Charge {
    priority::AssociationIndex association = priority::kNoAssociation;
    int qos = -1;
    int64_t tasks = 0;
  };
  using UserQos = std::pair<std::string, int>;

  Charge ChargeOf(const TrackedJob& job);
  std::optional<uint32_t> MaxSubmitJobs(priority::AssociationIndex association) const;
  // Counts the jobs of `state`, once.
  void CountAll();
  absl::string_view UserOf(priority::AssociationIndex association) const;
  void Add(const Charge& charge, int64_t tasks);

  const QueueState& state_;
  const priority::Snapshot& snapshot_;
  bool any_ = false;  // Whether there is a limit at all.
  priority::JobResolver resolver_;
  std::vector<int64_t> of_association_;  // By AssociationIndex; empty = not counted.
  absl::flat_hash_map<UserQos, int64_t> of_user_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SUBMIT_LIMITS_H_
