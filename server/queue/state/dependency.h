// Dependency expressions: what a job waits for.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// By the names of `sbatch --dependency`.
enum class DependencyType {
  kAfter,       // All have started, or ended without.
  kAfterAny,    // All have ended.
  kAfterOk,     // All have ended well.
  kAfterNotOk,  // All have ended, none well.
  kSingleton,   // No earlier job of the user and the name is left.
};

struct DependencyTerm {
  DependencyType type;
  std::vector<absl::string_view> job_ids;  // Empty for kSingleton.
};

struct Dependency {
  bool any = false;  // One term is enough (`?`), else all are needed (`,`).
  std::vector<DependencyTerm> terms;
};

// `TYPE:JOB[:JOB...]` or `singleton`, joined by `,` or by `?`, not by both. The
// result points into `expression`. INVALID_ARGUMENT says what is wrong and what
// is wanted, without naming the field.
absl::StatusOr<Dependency> ParseDependency(absl::string_view expression);

enum class DependencyState {
  kMet,
  kUnmet,
  kNever,  // It cannot be met any more.
};

// Where the dependency stands. `find` gives a job by its id; one that the queue
// has never heard of is waited for. `alone`: singleton is met.
DependencyState Evaluate(const Dependency& dependency,
                         absl::FunctionRef<std::optional<TrackedJob>(absl::string_view)> find,
                         absl::FunctionRef<bool()> alone);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_DEPENDENCY_H_
