// Job dependencies: parsing and evaluation.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/job_progress.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Named as in `sbatch --dependency`.
enum class DependencyType {
  kAfter,       // All started, or ended without a start, at least the delay ago.
  kAfterAny,    // All have ended.
  kAfterOk,     // All have ended successfully.
  kAfterNotOk,  // All have ended, none successfully.
  kAfterCorr,   // The task of the same number has ended successfully.
  kSingleton,   // No earlier job with the same user and name is in the queue.
};

// `afterok` for kAfterOk.
absl::string_view DependencyName(DependencyType type);

struct DependencyTerm {
  DependencyType type;
  // Empty for kSingleton. `ARRAY` stands for all tasks of an array, `ARRAY_TASK` for one.
  std::vector<absl::string_view> job_ids;
  std::vector<absl::Duration> delays;  // By job: the delay after its start. Zero except for kAfter.
};

struct Dependency {
  bool any = false;  // One term suffices (`?`); otherwise all are needed (`,`).
  std::vector<DependencyTerm> terms;
};

// Terms are `TYPE:JOB[:JOB...]` or `singleton`, joined by `,` or by `?` but not both. A JOB of
// `after` may end in `+MINUTES`; a JOB without a type has the type of the term before it, and
// afterany at the beginning. The result points into `expression`. INVALID_ARGUMENT: `got X, want Y`
// without the field's name.
absl::StatusOr<Dependency> ParseDependency(absl::string_view expression);

// The ids by which dependencies can name a job: its own and those of its array.
std::vector<std::string> IdsThatName(const TrackedJob& job);
// Each id in a dependency is an entry of an index of the queue, and each change of such a job
// evaluates the dependency. Chains of hundreds exist; the tasks of an array are one id.
inline constexpr size_t kMaxDependencyIds = 1000;
// The number of job ids in all terms; one that is named twice counts twice.
size_t CountJobIds(const Dependency& dependency);
// Whether a term names the job itself: by its id, or as the task of its array that it is.
bool NamesItself(const Dependency& dependency, const TrackedJob& job);
// The inverse of IdsThatName: the ids whose changes concern a dependency on `job_id`.
std::vector<absl::string_view> IdsToHearOf(absl::string_view job_id);

enum class DependencyState {
  kMet,
  kUnmet,
  kNever,  // It can no longer be met.
};

struct Standing {
  DependencyState state = DependencyState::kMet;
  // For kMet: when it was met.
  absl::Time since = absl::InfinitePast();
};

// Evaluates the dependency of `waits`. An array has ended when all its tasks have, successfully if
// all did. A start at an unknown time counts as `now`, or as the time that `waits` has recorded
// before.
Standing Evaluate(const Dependency& dependency, const TrackedJob& waits, absl::Time now,
                  JobProgress& jobs);

// The result of a dependency, as a job has it.
struct Resolution {
  bool unmet = false;  // dependency_unmet, dependency_never, dependency_until.
  bool never = false;
  std::optional<absl::Time> until;
  // The part that is not met, as squeue shows it: each job with its type and `(unfulfilled)`, or
  // `(failed)` if it can no longer be met. A delay that passes leaves it when the job is resolved
  // again. Empty = nothing is unmet.
  std::string text;
};
// REQUIRES: the dependency is valid.
Resolution Resolve(const TrackedJob& waits, absl::Time now, JobProgress& jobs);
bool IsApplied(const Resolution& resolution, const TrackedJob& job);
// `job` then points into `resolution`.
void Apply(const Resolution& resolution, TrackedJob* job);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_
