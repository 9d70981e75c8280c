// Why a job cannot start now, as data; server/explanation has the sentences.
#ifndef PRIORITYD_SERVER_PRIORITY_REASON_H_
#define PRIORITYD_SERVER_PRIORITY_REASON_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "server/priority/limits.h"

namespace priorityd::priority {

// Of two reasons that apply the lower one is answered.
enum class Reason : uint8_t {
  kInvalidJob,
  kInvalidAccount,
  kInvalidQos,
  kInvalidPartition,
  kJobHeldUser,
  kJobHeldAdmin,
  kDependency,
  kDependencyNever,  // That cannot be met any more.
  kBeginTime,
  kPartitionDown,
  kPartitionInactive,
  kPartitionNodeLimit,
  kPartitionTimeLimit,
  kPartitionConfig,  // More CPUs than its nodes have.
  kMaxMemPerLimit,
  kAccountNotAllowed,
  kQosNotAllowed,
  kArrayTaskLimit,  // `%LIMIT` of its array.
  kQosUsageThreshold,
  kLimit,  // A limit of an association or a QOS.
  kNone,   // The job can start.
};

// Slurm's word; empty for kNone, and for kLimit, whose words the other ReasonName has.
absl::string_view ReasonName(Reason reason);

// The arithmetic of a limit that a job would exceed, in the unit of Limit::limit.
struct ExceededLimit {
  const Limit* limit = nullptr;  // Of the snapshot's limits().
  double bound = 0;              // limit->limit, by LimitFactor where that counts.
  double used = 0;               // So far, decayed.
  double running = 0;            // What running jobs have, or may still use.
  double wanted = 0;             // The job's; infinite without a time limit.
};

// Why a pair of a job cannot start.
struct Ineligibility {
  Reason reason = Reason::kNone;
  // Set for kLimit.
  std::optional<ExceededLimit> exceeded;
};

// Slurm's word, static storage; empty for kNone. `limits`: the snapshot's.
absl::string_view ReasonName(const Limits& limits, const Ineligibility& why);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_REASON_H_
