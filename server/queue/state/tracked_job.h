// A job as the tracked queue keeps it.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_TRACKED_JOB_H_
#define PRIORITYD_SERVER_QUEUE_STATE_TRACKED_JOB_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/priority/job.h"

namespace priorityd::queue {

// How a job ended.
enum class JobEnd : uint8_t {
  kNone,  // It has not.
  kCompleted,
  kFailed,
  kTimeout,
  kCancelled,
  kPreempted,
  kNodeFail,
};

// Views into storage of the caller, which must outlive the job.
struct TrackedJob {
  // Kept by the queue: submit_time is set, accrue_time is when the job would have
  // begun to accrue had it done so without a break, dependency_unmet is true also
  // where `dependency` is. As a frontend sends it, both are what the frontend says. The queue alone
  // knows dependency_never, dependency_until and array_limited.
  priority::Job job;
  absl::string_view source;          // The frontend that sent it.
  absl::string_view name;            // For singleton; empty = none.
  absl::string_view reservation;     // Empty = none.
  absl::string_view dependency;      // An expression; see dependency.h.
  absl::string_view array_task_ids;  // As sbatch --array takes them; empty = array_tasks alone.
  absl::string_view array_job_id;    // Of a task that was split off that array; empty = none.
  std::optional<uint32_t> array_task_id;  // Which one.
  bool told_dependency_unmet = false;
  // As a request sends it, without a state: a job that the queue has keeps the one that it has.
  bool keeps_state = false;
  // Whether site_factor is the word of the site's service, not of the frontend.
  bool site_factor_answered = false;
  JobEnd end = JobEnd::kNone;
  std::optional<absl::Time> end_time;  // When the queue received that.

  bool ended() const { return end != JobEnd::kNone; }
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_TRACKED_JOB_H_
