// Which changes of tracked jobs a caller may ask for.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_

#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

struct JobRights {
  // Speaks for this user: changes jobs of hers, as scontrol lets a user, and nothing that
  // raises a priority. Unset = speaks for everybody, and sets what operators set.
  std::optional<std::string> user;
  // Accounts that this user coordinates, with all below them: of the jobs charged to them she
  // changes those of other users, though only how long they wait.
  absl::flat_hash_set<std::string> coordinated;
  // Whether it is not for her to know which jobs of others there are.
  bool jobs_are_private = false;
};

// What a caller may not do.
struct DeniedChange {
  absl::string_view field;  // Of the job.
  std::string message;
};

// Each answers why a caller may not; nullopt = she may. `old` is the job as the queue has it, null
// if it does not, and `account` the one that it is charged to.
std::optional<DeniedChange> DenyRemoval(const JobRights& rights, const TrackedJob* old,
                                        absl::string_view account);
std::optional<DeniedChange> DenyUpsert(const JobRights& rights, const TrackedJob* old,
                                       absl::string_view account, const TrackedJob& wanted,
                                       absl::Time now);

// Whether a request of `source` may not touch the job: another one told of it, and it has not
// ended.
bool IsOfAnother(const JobRights& rights, const std::optional<TrackedJob>& old,
                 absl::string_view source);

// Whether `old` is another user's job that she may change all the same, as its coordinator.
bool Coordinates(const JobRights& rights, const TrackedJob& old, absl::string_view account);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_
