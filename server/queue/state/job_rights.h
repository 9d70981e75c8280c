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
  // Speaks for this user: changes the user's own jobs as JobFieldRules allow. Unset = speaks for
  // everybody, and sets what operators set.
  std::optional<std::string> user;
  // Accounts that this user coordinates, with all below them: of the jobs charged to them the user
  // changes those of others too, though only how long they wait.
  absl::flat_hash_set<std::string> coordinated;
  // Whether the user may not know which jobs of others there are.
  bool jobs_are_private = false;
  // Only jobs of these sources, of users and of none are the caller's to change; empty = all.
  absl::flat_hash_set<std::string> sources = {};
};

// What a caller may not do.
struct DeniedChange {
  absl::string_view field;  // Of the job.
  std::string message;
};

// The source of what this user submits: `user:NAME`; and whether a source is one of these. A job
// of such a source is every frontend's to take over.
std::string SourceOfUser(absl::string_view user);
bool IsSourceOfUser(absl::string_view source);

// `wanted` with what an upsert of `old` leaves as it is: the state, where it names none; of what a
// user sends also the time of submission, where it names none, and what the queue worked out itself
// and the user sends back. Points into both.
TrackedJob WithWhatIsKept(const JobRights& rights, const TrackedJob& old, TrackedJob wanted);

// Each answers why a caller may not; nullopt = they may. `old` is the job as the queue has it, null
// if it does not, and `account` the one that it is charged to. A job that has started belongs to
// its frontend: its user may not remove it. REQUIRES: `wanted` is WithWhatIsKept of `old`.
std::optional<DeniedChange> DenyRemoval(const JobRights& rights, const TrackedJob* old,
                                        absl::string_view account);
std::optional<DeniedChange> DenyUpsert(const JobRights& rights, const TrackedJob* old,
                                       absl::string_view account, const TrackedJob& wanted,
                                       absl::Time now);

// Whether a request of `source` may not touch the job: another one, and no user's, upserted it, and
// it has not ended; or it is none of `rights.sources`.
bool IsOfAnother(const JobRights& rights, const std::optional<TrackedJob>& old,
                 absl::string_view source);

// The source that `old` has after an upsert of `source`.
absl::string_view SourceKept(const TrackedJob& old, absl::string_view source);

// Whether `old` is another user's job that the user may change all the same, as its coordinator.
bool Coordinates(const JobRights& rights, const TrackedJob& old, absl::string_view account);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_
