// Rules for users' changes of a job's fields: one row per member of a job.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELD_RULES_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELD_RULES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/queue/state/job_members.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

enum class FieldChange : uint8_t { kNone, kLower, kHigher, kOther };

struct JobFieldRule {
  absl::string_view name;  // The API field that sets it; empty = none.
  FieldChange (*change)(const TrackedJob& old, const TrackedJob& wanted);
  std::optional<absl::Time> (*time)(const TrackedJob& job);  // Unset for members of other types.
  FieldClasses classes;

  FieldClass ClassOf(UserStanding standing) const { return classes[static_cast<size_t>(standing)]; }
};

// One for each member of priority::Job and of TrackedJob, by job_members.h.
absl::Span<const JobFieldRule> JobFieldRules();

// The reason that a user must not change `old` to `wanted`; empty = the rule allows it. `earliest`:
// the submission time.
std::string Breach(const JobFieldRule& rule, UserStanding standing, const TrackedJob& old,
                   const TrackedJob& wanted, absl::Time earliest);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELD_RULES_H_
