// The changes of tracked jobs that a caller may request.
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
  // The caller, or on_behalf_of: may change the user's own jobs as JobFieldRules allow. Unset
  // = acts for every user, with an operator's rights.
  std::optional<std::string> user;
  // The users merged into this user, whose jobs are the user's.
  absl::flat_hash_set<std::string> merged_users = {};
  // Accounts that this user coordinates, including all below them: in jobs charged to these
  // accounts, the user may also change other users' jobs, but only how long they wait.
  absl::flat_hash_set<std::string> coordinated;
  // Whether the existence of other users' jobs is hidden from the user.
  bool jobs_are_private = false;
  // The caller may only change jobs of these sources, of users and without source; empty = all
  // jobs.
  absl::flat_hash_set<std::string> sources = {};
};

// Whether jobs of `owner` are the caller's own. REQUIRES: rights.user is set.
bool Owns(const JobRights& rights, absl::string_view owner);

// The reason that a change is denied.
struct DeniedChange {
  absl::string_view field;  // Of the job.
  std::string message;
};

// The source of jobs that this user submits, `user:NAME`, and whether a source has this form. Every
// frontend may take over a job of such a source.
std::string SourceOfUser(absl::string_view user);
bool IsSourceOfUser(absl::string_view source);

// `wanted` with the fields of `old` that the upsert keeps: the state if `wanted` has none. In a
// user's upsert also the submission time if it has none, and the fields that the queue computes and
// the user sends back. Points into both.
TrackedJob WithKeptFields(const JobRights& rights, const TrackedJob& old, TrackedJob wanted);

// Each returns why a change is denied; nullopt = it is allowed. `old` is the job in the queue, or
// null, and `account` the one that is charged. A started job belongs to its frontend: its user may
// not remove it. REQUIRES: `wanted` is WithKeptFields of `old`.
std::optional<DeniedChange> DenyRemoval(const JobRights& rights, const TrackedJob* old,
                                        absl::string_view account);
std::optional<DeniedChange> DenyUpsert(const JobRights& rights, const TrackedJob* old,
                                       absl::string_view account, const TrackedJob& wanted,
                                       absl::Time now);

// Whether a request of `source` may not change the job: another source that is not a user's
// upserted it, and it has not ended; or its source is not in `rights.sources`.
bool IsOfAnother(const JobRights& rights, const std::optional<TrackedJob>& old,
                 absl::string_view source);

// The source of `old` after an upsert by `source`.
absl::string_view SourceKept(const TrackedJob& old, absl::string_view source);

// Whether `old` is another user's job that the user may change as a coordinator.
bool Coordinates(const JobRights& rights, const TrackedJob& old, absl::string_view account);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_RIGHTS_H_
