// Why a job cannot start now.
#ifndef PRIORITYD_SERVER_PRIORITY_ELIGIBILITY_H_
#define PRIORITYD_SERVER_PRIORITY_ELIGIBILITY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

// In the order in which they are told: of two that apply the lower one is.
enum class Reason : uint8_t {
  kInvalidJob,
  kInvalidAccount,
  kInvalidQos,
  kInvalidPartition,
  kJobHeldUser,
  kJobHeldAdmin,
  kDependency,
  kBeginTime,
  kPartitionDown,
  kPartitionNodeLimit,
  kPartitionTimeLimit,
  kAccountNotAllowed,
  kQosNotAllowed,
  kAssocGrpTresMinutes,
  kAssocGrpWall,
  kQosGrpTresMinutes,
  kQosGrpWall,
  kQosUsageThreshold,
  kNone,  // The job can start.
};

// Slurm's word; empty for kNone. Of the two that have a word per TRES the one for
// other TRES: LimitReasonName has them all.
absl::string_view ReasonName(Reason reason);

// Tells whether a job can start in one of its pairs. The moment is left out:
// whoever asks compares eligible_time himself (kBeginTime); so are the limits on
// usage (kAssocGrpTresMinutes to kQosGrpWall), which LimitCheck tells. Holds the access
// lists of the snapshot's partitions as sets; `snapshot` must outlive it.
// Thread-compatible.
class Eligibility {
 public:
  explicit Eligibility(const Snapshot& snapshot);

  // kJobHeldUser, kJobHeldAdmin (also by admin_priority 0), kDependency or
  // kNone: what keeps all pairs of the job back.
  static Reason OfJob(const Job& job);

  // The first of the later reasons that applies to a pair. `partition` and
  // `qos` are indices, -1 = none; a job without QOS is not in AllowQos. Access
  // lists cover the accounts below the ones they name, as in Slurm 25.11.
  Reason OfPair(const Job& job, AssociationIndex association, int partition, int qos) const;

  // Whether nodes and time limit fit the partition, whatever else is wrong. A
  // partition whose nodes are not known (0) is limited by MaxNodes alone.
  bool WithinLimits(const Job& job, int partition) const;

 private:
  struct AccessLists {
    absl::flat_hash_set<absl::string_view> allow_accounts;
    absl::flat_hash_set<absl::string_view> deny_accounts;
    absl::flat_hash_set<absl::string_view> allow_qos;
    absl::flat_hash_set<absl::string_view> deny_qos;
  };

  bool AccountAllowed(const AccessLists& lists, AssociationIndex association) const;
  bool QosAllowed(const AccessLists& lists, int qos) const;

  const Snapshot& snapshot_;
  std::vector<AccessLists> lists_;  // By partition.
};

// Whether jobs of an association with the fair-share factor `fair_share` have to
// wait under `qos` (flag EnforceUsageThreshold).
bool BelowUsageThreshold(const Qos& qos, double fair_share);

// What is wrong in a sentence, with the figures. `partition` and `qos` as in
// OfPair; -1 too where the job names none that exists. Empty for the limits on
// usage: LimitCheck::Message tells them.
std::string ReasonMessage(const Snapshot& snapshot, Reason reason, const Job& job,
                          AssociationIndex association, int partition, int qos);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_ELIGIBILITY_H_
