// The progress of the jobs that dependencies name.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_PROGRESS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/slurm/words/array_task_ids.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The array and the task of `ARRAY_TASK`; nullopt = the id has another form.
std::optional<std::pair<absl::string_view, uint32_t>> NamedTask(absl::string_view job_id);

// The jobs by which dependencies are evaluated.
class DependencyJobs {
 public:
  virtual ~DependencyJobs() = default;
  // A job by its id, including ended jobs; a job unknown to the queue is waited for.
  virtual std::optional<TrackedJob> Find(absl::string_view job_id) = 0;
  // Calls `visit` for the tasks split off an array, one after another, including ended ones.
  virtual void ForEachTask(absl::string_view array_job_id,
                           absl::FunctionRef<void(const TrackedJob&)> visit) = 0;
  // Whether singleton is met for this job.
  virtual bool IsAlone(const TrackedJob& waits) = 0;
};

// The facts of a job, or of all tasks of an array, that a dependency needs.
struct Progress {
  bool known = false;
  bool started = true;  // Or ended without a start.
  bool ended = true;
  bool ended_well = true;
  bool any_ended_well = false;
  // Of the last start; unset = not reported.
  std::optional<absl::Time> started_at = absl::InfinitePast();

  void Add(const TrackedJob& job);
};

// The job or the array that an id in a dependency names.
struct NamedJob {
  Progress progress;
  bool is_array = false;
};

// Reads each job and each array once, for all dependencies that name it, while the jobs do not
// change. Its memory is bounded by kMostIds and kMostArrays. Thread-compatible.
class JobProgress {
 public:
  static constexpr size_t kMostIds = 1 << 16;
  static constexpr size_t kMostArrays = 64;

  // `jobs` must outlive it.
  explicit JobProgress(DependencyJobs& jobs) : jobs_(jobs) {}

  // All ids passed must outlive this object.
  NamedJob Of(absl::string_view job_id);
  Progress OfTask(absl::string_view array_job_id, uint32_t number);
  bool IsAlone(const TrackedJob& waits) { return jobs_.IsAlone(waits); }

 private:
  // The progress of each task of one array.
  struct ByTask {
    absl::flat_hash_map<uint32_t, Progress> split_off;
    Progress rest;  // Of the tasks that are not split off.
    slurm::ArrayTasks rest_tasks;
  };

  NamedJob Read(absl::string_view job_id);
  const ByTask& ReadTasks(absl::string_view array_job_id);

  DependencyJobs& jobs_;
  absl::flat_hash_map<absl::string_view, NamedJob> named_;
  absl::flat_hash_map<absl::string_view, ByTask> arrays_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_PROGRESS_H_
