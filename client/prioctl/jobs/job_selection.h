// Jobs named as Slurm's tools name them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_SELECTION_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/words/array_task_ids.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::jobs {

// One of a list such as `1,19,5_[1-3],5_7,jobname=steam`.
struct JobName {
  std::string text;      // As it was given.
  std::string id;        // Of a job, or of the array of `tasks`.
  std::string tasks;     // As sbatch --array takes them; empty = all there are.
  std::string job_name;  // By its name instead.
  slurm::ArrayTasks parsed_tasks;

  // Of an array's rest: whether it has one of the tasks.
  bool Matches(const ::priority::v1::Job& job) const;
  // Whether it names the job, and not only tasks of it.
  bool MatchesAll(const ::priority::v1::Job& job) const;
};

// Ids and `jobname=NAME` (or `name=NAME`), joined by commas. INVALID_ARGUMENT.
absl::StatusOr<std::vector<JobName>> ParseJobNames(absl::string_view text);

// A line of warning for each of the `typed` IDs that `is_listed` does not know and that Slurm does
// not have: other frontends may have any ID, but 48-50 is rather a range, which no tool takes.
// Slurm's own (12, 12_3, 12_[1-3], 12+1) may have ended.
void WarnOfUnlistedJobs(const std::vector<std::string>& typed,
                        absl::FunctionRef<bool(const std::string& id)> is_listed,
                        absl::string_view example, std::ostream& err);

// Whether each task, by its id up to slurm::kMaxArrayTaskId, is among those of the names. REQUIRES:
// slurm::CountArrayTasks takes the tasks of each.
std::vector<bool> NamedTasks(const std::vector<const JobName*>& names);

// The tasks of an array's rest that one of the names selects, ascending, each once, the first
// `most` at most; no names select all. REQUIRES: the array has array_task_ids, which
// slurm::CountArrayTasks takes.
std::vector<uint32_t> SelectedTasks(const std::vector<JobName>& names,
                                    const ::priority::v1::Job& array, size_t most);

// The tasks for which `removed` is false, in sbatch's syntax and with the same `%LIMIT`; empty =
// none is left. REQUIRES: slurm::CountArrayTasks takes the text.
std::string TasksWithout(absl::string_view task_ids,
                         absl::FunctionRef<bool(uint32_t task)> removed);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_SELECTION_H_
