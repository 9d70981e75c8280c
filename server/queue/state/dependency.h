// Dependency expressions: what a job waits for.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// By the names of `sbatch --dependency`.
enum class DependencyType {
  kAfter,       // All have started, or ended without, so long ago.
  kAfterAny,    // All have ended.
  kAfterOk,     // All have ended well.
  kAfterNotOk,  // All have ended, none well.
  kAfterCorr,   // The task of the same number has ended well.
  kSingleton,   // No earlier job of the user and the name is left.
};

// `afterok` for kAfterOk.
absl::string_view DependencyName(DependencyType type);

struct DependencyTerm {
  DependencyType type;
  // Empty for kSingleton. `ARRAY` stands for all tasks of an array, `ARRAY_TASK` for one.
  std::vector<absl::string_view> job_ids;
  std::vector<absl::Duration> delays;  // By job: how long after its start. Zero but for kAfter.
};

struct Dependency {
  bool any = false;  // One term is enough (`?`), else all are needed (`,`).
  std::vector<DependencyTerm> terms;
};

// `TYPE:JOB[:JOB...]` or `singleton`, joined by `,` or by `?`, not by both; a JOB of `after` may
// end in `+MINUTES`, and a JOB after a `,` has the type before it; at the beginning it is afterany.
// The result points into `expression`. INVALID_ARGUMENT says what is wrong and what is wanted,
// without naming the field.
absl::StatusOr<Dependency> ParseDependency(absl::string_view expression);

// The ids by which dependencies can name a job: its own, and those of the array that it is of.
std::vector<std::string> IdsThatName(const TrackedJob& job);
// The same from the other side: of which ids a dependency on `job_id` has to hear.
std::vector<absl::string_view> IdsToHearOf(absl::string_view job_id);

enum class DependencyState {
  kMet,
  kUnmet,
  kNever,  // It cannot be met any more.
};

// What a dependency is judged by.
class DependencyJobs {
 public:
  virtual ~DependencyJobs() = default;
  // A job by its id, also one that ended; one that the queue has never heard of is waited for.
  virtual std::optional<TrackedJob> Find(absl::string_view job_id) = 0;
  // The tasks that were split off an array, also those that ended.
  virtual std::vector<TrackedJob> TasksOf(absl::string_view array_job_id) = 0;
  // Whether singleton is met.
  virtual bool Alone() = 0;
};

struct Standing {
  DependencyState state = DependencyState::kMet;
  // For kMet: it is from then on.
  absl::Time since = absl::InfinitePast();
};

// Where the dependency of `waits` stands. An array has ended when all its tasks have, and well if
// all did. The start of a job that started at a time which nobody told counts as `now`, or as what
// `waits` has been told before.
Standing Evaluate(const Dependency& dependency, const TrackedJob& waits, absl::Time now,
                  DependencyJobs& jobs);

// The job with what its dependency comes to: dependency_unmet, dependency_never, dependency_until.
// REQUIRES: the dependency can be parsed.
priority::Job Resolve(const TrackedJob& waits, absl::Time now, DependencyJobs& jobs);
// Whether two jobs are alike in these.
bool DependAlike(const priority::Job& a, const priority::Job& b);
void CopyDependency(const priority::Job& from, priority::Job* to);

// Whether `a` was submitted before `b`, as singleton takes it. REQUIRES: submit_time of both.
bool Earlier(const TrackedJob& a, const TrackedJob& b);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_
