// Which fields of a job a user may change, and how: one row for every member of a job.
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

// What a user may do with a field of a job. Frontends and operators set every field but those of
// kService.
enum class FieldClass : uint8_t {
  kName,         // Says which job it is; never changes.
  kOwner,        // Any value.
  kLowersOnly,   // A lower value; an unset one is the default.
  kRaisesOnly,   // A higher value.
  kNotNegative,  // A higher value, or one that is not negative.
  kLaterOnly,    // No time before the job was submitted.
  kUserHold,     // Everything but an administrator's hold.
  kCancels,      // That the job is cancelled.
  kFrontend,     // Nothing: a frontend or an operator says it.
  kService,      // Nothing: the service knows it, and does not look at what is sent.
};

// How a user stands to a job. A job that has ended is as one that runs.
enum class UserStanding : uint8_t {
  kNew,                 // Their own, which the queue does not have.
  kPending,             // Their own.
  kRunning,             // Their own.
  kCoordinated,         // Another user's, in an account that they coordinate.
  kCoordinatedRunning,  // The same.
};
inline constexpr size_t kStandings = 5;

enum class FieldChange : uint8_t { kNone, kLower, kHigher, kOther };

struct JobFieldRule {
  absl::string_view name;  // The field of the API that sets it; empty = none does.
  FieldChange (*change)(const TrackedJob& old, const TrackedJob& wanted);
  std::optional<absl::Time> priority::Job::*time;  // Null = it is no time.
  std::array<FieldClass, kStandings> classes;      // By UserStanding.

  FieldClass ClassOf(UserStanding standing) const { return classes[static_cast<size_t>(standing)]; }
};

// A row for each member of priority::Job and of TrackedJob.
absl::Span<const JobFieldRule> JobFieldRules();

// Why a user may not make `wanted` of `old`; empty = the rule allows it. `earliest`: when the job
// was submitted.
std::string Breach(const JobFieldRule& rule, UserStanding standing, const TrackedJob& old,
                   const TrackedJob& wanted, absl::Time earliest);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELD_RULES_H_
