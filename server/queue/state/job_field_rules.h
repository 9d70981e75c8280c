// Rules for users' changes of a job's fields: one row per member of a job.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELD_RULES_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELD_RULES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The changes of a field that a user may make. Frontends and operators set every field except those
// of kService.
enum class FieldClass : uint8_t {
  kName,         // Identifies the job; never changes.
  kOwner,        // Any value.
  kLowersOnly,   // A lower value; unset means the default.
  kRaisesOnly,   // A higher value.
  kNotNegative,  // A higher value, or a non-negative one.
  kLaterOnly,    // No time before the submission.
  kUserHold,     // Everything except an administrator's hold.
  kCancels,      // Cancellation only.
  kFrontend,     // None: set by frontends and operators.
  kService,      // None: set by the service, which ignores sent values.
};

// A user's relation to a job. An ended job counts as running.
enum class UserStanding : uint8_t {
  kNew,                 // Their own, not in the queue yet.
  kPending,             // Their own.
  kRunning,             // Their own.
  kCoordinated,         // Another user's, in an account that the user coordinates.
  kCoordinatedRunning,  // The same, running.
};
inline constexpr size_t kStandings = 5;

enum class FieldChange : uint8_t { kNone, kLower, kHigher, kOther };

struct JobFieldRule {
  absl::string_view name;  // The API field that sets it; empty = none.
  FieldChange (*change)(const TrackedJob& old, const TrackedJob& wanted);
  std::optional<absl::Time> priority::Job::*time;  // Null = not a time.
  std::array<FieldClass, kStandings> classes;      // By UserStanding.

  FieldClass ClassOf(UserStanding standing) const { return classes[static_cast<size_t>(standing)]; }
};

// A row for each member of priority::Job and of TrackedJob.
absl::Span<const JobFieldRule> JobFieldRules();

// Why a user may not change `old` to `wanted`; empty = the rule allows it. `earliest`: the
// submission time.
std::string Breach(const JobFieldRule& rule, UserStanding standing, const TrackedJob& old,
                   const TrackedJob& wanted, absl::Time earliest);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELD_RULES_H_
