// Why a job cannot start now, as data; server/explanation has the sentences.
#ifndef PRIORITYD_SERVER_PRIORITY_REASON_H_
#define PRIORITYD_SERVER_PRIORITY_REASON_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "server/priority/usage_limits.h"

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
  kPartitionNodeLimit,
  kPartitionTimeLimit,
  kAccountNotAllowed,
  kQosNotAllowed,
  kArrayTaskLimit,  // `%LIMIT` of its array.
  kAssocGrpTresMinutes,
  kAssocGrpWall,
  kQosGrpTresMinutes,
  kQosGrpWall,
  kQosUsageThreshold,
  kNone,  // The job can start.
};

// Slurm's word; empty for kNone. Of the two that have a word per TRES the one for
// other TRES: the other ReasonName has them all.
absl::string_view ReasonName(Reason reason);

// The arithmetic of a limit that a job would exceed; TRES-seconds, or seconds
// for GrpWall.
struct ExceededLimit {
  const UsageLimit* limit = nullptr;  // Of the snapshot's usage_limits().
  double used = 0;                    // So far, decayed.
  double running = 0;                 // What running jobs may still use.
  double wanted = 0;                  // The job's; infinite without a time limit.
};

// Why a pair of a job cannot start.
struct Ineligibility {
  Reason reason = Reason::kNone;
  // Set for the limits on usage: kAssocGrpTresMinutes to kQosGrpWall.
  std::optional<ExceededLimit> exceeded;
};

// Slurm's word, static storage; empty for kNone. `limits`: the snapshot's.
absl::string_view ReasonName(const UsageLimits& limits, const Ineligibility& why);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_REASON_H_
