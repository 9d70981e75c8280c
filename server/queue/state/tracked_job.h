// A job of the tracked queue.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_TRACKED_JOB_H_
#define PRIORITYD_SERVER_QUEUE_STATE_TRACKED_JOB_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/jobs/job.h"

namespace priorityd::queue {

// The way in which a job ended.
enum class JobEnd : uint8_t {
  kNone,  // Not ended.
  kCompleted,
  kFailed,
  kTimeout,
  kCancelled,
  kPreempted,
  kNodeFail,
};

// Texts point into storage of the caller, which must outlive the job.
struct TrackedJob {
  // In the queue, submit_time is set, accrue_time is when the job would have started to accrue
  // without interruptions, and dependency_unmet is also true if `dependency` is unmet. In a
  // request, both are the frontend's values. Only the queue sets dependency_never, dependency_until
  // and array_limited.
  priority::Job job;
  absl::string_view source;      // The frontend that sent it.
  absl::string_view name;        // For singleton; empty = none.
  absl::string_view dependency;  // An expression; see dependency.h.
  absl::string_view
      array_task_ids;  // In the syntax of sbatch --array; empty = only array_tasks is known.
  absl::string_view array_job_id;  // The array from which the task was split off; empty = none.
  std::optional<uint32_t> array_task_id;  // The task's number.
  absl::string_view unmet_dependency;     // Resolution::text, set by the queue.
  bool told_dependency_unmet = false;
  // The request has no state: a job in the queue keeps its state.
  bool keeps_state = false;
  // Whether site_factor comes from the site's service, not from the frontend.
  bool site_factor_answered = false;
  JobEnd end = JobEnd::kNone;
  std::optional<absl::Time> ended_at;  // The time at which the queue received the end.
  // As the frontend sent them; unset or empty = not sent.
  std::optional<absl::Time> end_time;
  std::optional<uint32_t> exit_code;
  uint32_t exit_signal = 0;

  bool ended() const { return end != JobEnd::kNone; }
  // A job that has not ended has no such values.
  void SetEndedAt(std::optional<absl::Time> at) {
    ended_at = ended() ? at : std::nullopt;
    if (ended()) return;
    end_time.reset();
    exit_code.reset();
    exit_signal = 0;
  }
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_TRACKED_JOB_H_
