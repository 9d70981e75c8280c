// Which changes of tracked jobs a caller may ask for.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

struct JobRights {
  // Speaks for this user: changes jobs of hers, as scontrol lets a user, and nothing that
  // raises a priority. Unset = speaks for everybody, and sets what operators set.
  std::optional<std::string> user;
};

// What a caller may not do.
struct DeniedChange {
  absl::string_view field;  // Of the job.
  std::string message;
};

// Each answers why a caller may not; nullopt = she may. `old` is the job as the queue has it, null
// if it does not.
std::optional<DeniedChange> DenyRemoval(const JobRights& rights, const TrackedJob* old);
std::optional<DeniedChange> DenyUpsert(const JobRights& rights, const TrackedJob* old,
                                       const TrackedJob& wanted, absl::Time now);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_
