// The reasons that a job cannot start now, as data. engine/explanation turns it into sentences.
#ifndef PRIORITYD_ENGINE_PRIORITY_LIMITS_REASON_H_
#define PRIORITYD_ENGINE_PRIORITY_LIMITS_REASON_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "engine/priority/limits/limits.h"

namespace priorityd::priority {

// If several reasons apply, the first in this order is reported.
enum class Reason : uint8_t {
  kInvalidJob,
  kInvalidAccount,
  kInvalidQos,
  kInvalidPartition,
  kJobHeldUser,
  kJobHeldAdmin,
  kDependency,
  kDependencyNever,  // A dependency that can never be met.
  kBeginTime,
  kPartitionDown,
  kPartitionInactive,
  kPartitionNodeLimit,
  kPartitionTimeLimit,
  kPartitionConfig,  // More CPUs than the nodes of the partition have.
  kMaxMemPerLimit,
  kAccountNotAllowed,
  kQosNotAllowed,
  kReservation,     // Its reservation has not begun, has ended, is missing, or is not for it.
  kArrayTaskLimit,  // The `%LIMIT` of its array.
  kQosUsageThreshold,
  kLimit,  // A limit of an association or a QOS.
  kNone,   // The job can start.
};

// Slurm's name of the reason, static storage. Empty for kNone and kLimit; the overload below has
// the names of limits.
absl::string_view ReasonName(Reason reason);

// The arithmetic of a limit that a job would exceed, in the unit of Limit::limit.
struct ExceededLimit {
  const Limit* limit = nullptr;  // Of the snapshot's limits().
  double bound = 0;              // limit->limit, LimitFactor applied.
  double used = 0;               // Past usage, decayed.
  double running = 0;            // The sum over running jobs.
  double wanted = 0;             // The job's demand; infinite without a time limit.
};

// The reason that a pair of a job cannot start.
struct Ineligibility {
  Reason reason = Reason::kNone;
  // Set for kLimit.
  std::optional<ExceededLimit> exceeded;
};

// Slurm's name of the reason, static storage; empty for kNone. `limits`: those of the snapshot.
absl::string_view ReasonName(const Limits& limits, const Ineligibility& why);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_LIMITS_REASON_H_
