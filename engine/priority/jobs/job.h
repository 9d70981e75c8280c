// A job as a frontend sends it, in the engine's types.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::priority {

enum class JobState { kPending, kRunning, kSuspended };

enum class Hold { kNone, kUser, kAdmin };

// The previous priority of one pair of a job, by the names that the job uses; empty = none.
struct PairPriority {
  absl::string_view partition;
  absl::string_view qos;
  uint32_t priority = 0;
  bool operator==(const PairPriority&) const = default;
};

// All views point into storage of the caller, which must outlive the job.
struct Job {
  absl::string_view job_id;
  absl::string_view user;
  absl::string_view account;                             // Empty = the user's default.
  absl::InlinedVector<absl::string_view, 1> partitions;  // Empty = the default one.
  absl::InlinedVector<absl::string_view, 1> qos;         // Empty = the association's default.
  JobState state = JobState::kPending;
  std::optional<absl::Time> submit_time;
  std::optional<absl::Time> eligible_time;
  std::optional<absl::Time> accrue_time;
  // For a tracked job, the time at which it stopped accruing: it has accrued from accrue_time to
  // then. Unset = it accrues, from its begin time at the latest.
  std::optional<absl::Time> accrual_stopped;
  std::optional<absl::Time> start_time;
  Hold hold = Hold::kNone;
  bool dependency_unmet = false;
  bool dependency_never = false;  // The dependency is unmet and can never be met.
  // The time from which the dependency is met; unset = dependency_unmet alone decides.
  std::optional<absl::Time> dependency_until;
  bool array_limited = false;  // Its array runs as many tasks as its %LIMIT allows.
  uint32_t nodes = 0;          // 0 counts as 1.
  double cpus = 0;             // 0 = the count of the TRES cpu.
  // (name as sent, count); names are unique and of known types.
  absl::InlinedVector<std::pair<absl::string_view, double>, 4> tres;
  std::optional<absl::Duration> time_limit;
  int32_t nice = 0;
  int64_t site_factor = 0;
  std::optional<uint32_t> admin_priority;     // 0 = held by an administrator.
  std::optional<uint32_t> previous_priority;  // The lowest of all its pairs.
  // The pairs whose previous priority is higher than previous_priority.
  std::vector<PairPriority> pair_priorities;
  std::optional<bool> preemptor;
  std::optional<bool> requeue;    // Whether it may be requeued; unset = as the policy says.
  bool interactive = false;       // Not a batch job: it cannot be requeued.
  absl::string_view node_list;    // A hostlist of the nodes that it has or had; empty = unknown.
  absl::string_view reservation;  // Empty = none.
  uint32_t array_tasks = 1;
  // The violation that makes the job invalid (reason InvalidJob); empty = it is valid.
  absl::string_view violation;

  // The time before which it cannot start; unset = it can start at any time.
  std::optional<absl::Time> begin_time() const {
    return std::max(eligible_time, dependency_until);  // Unset is less than any time.
  }
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_H_
