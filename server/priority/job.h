// A job as a frontend describes it, in the engine's terms.
#ifndef PRIORITYD_SERVER_PRIORITY_JOB_H_
#define PRIORITYD_SERVER_PRIORITY_JOB_H_

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

// What one pair of a job had, by the names that the job gives; empty = none.
struct PairPriority {
  absl::string_view partition;
  absl::string_view qos;
  uint32_t priority = 0;
};

// Views into storage of the caller, which must outlive the job.
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
  // Of a tracked job, since when it does not accrue: from accrue_time to then it has. Unset = it
  // does, if only from its begin time on.
  std::optional<absl::Time> accrual_stopped;
  std::optional<absl::Time> start_time;
  Hold hold = Hold::kNone;
  bool dependency_unmet = false;
  bool dependency_never = false;  // It is unmet and cannot be met any more.
  // Its dependency is met from then on; unset = nothing but dependency_unmet tells.
  std::optional<absl::Time> dependency_until;
  bool array_limited = false;  // As many tasks of its array run as may at a time.
  uint32_t nodes = 0;          // 0 counts 1.
  double cpus = 0;             // 0 = tres cpu.
  // (name as given, count); names are unique and of known types.
  absl::InlinedVector<std::pair<absl::string_view, double>, 4> tres;
  std::optional<absl::Duration> time_limit;
  int32_t nice = 0;
  int64_t site_factor = 0;
  std::optional<uint32_t> admin_priority;     // 0 = held by the admin.
  std::optional<uint32_t> previous_priority;  // Of every pair at least.
  // Of the pairs whose previous priority is higher than that.
  std::vector<PairPriority> pair_priorities;
  std::optional<bool> preemptor;
  bool has_reservation = false;
  uint32_t array_tasks = 1;
  // Why the job cannot be taken as it is (reason InvalidJob); empty = it can.
  // Must outlive the job, like the other views.
  absl::string_view violation;

  // Before that it cannot start; unset = nothing holds it back.
  std::optional<absl::Time> begin_time() const {
    return std::max(eligible_time, dependency_until);  // Unset is less than any time.
  }
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_JOB_H_
