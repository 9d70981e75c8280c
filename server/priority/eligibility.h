// Why a job cannot start now.
#ifndef PRIORITYD_SERVER_PRIORITY_ELIGIBILITY_H_
#define PRIORITYD_SERVER_PRIORITY_ELIGIBILITY_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/priority/job.h"
#include "server/priority/reason.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

// Finds whether a job can start in one of its pairs. It does not check the moment
// (kBeginTime: the caller compares begin_time()) nor limits (kLimit: see
// LimitCheck). Holds the access lists of the
// snapshot's partitions as sets; `snapshot` must outlive it. Thread-compatible.
class Eligibility {
 public:
  explicit Eligibility(const Snapshot& snapshot);

  // kJobHeldUser, kJobHeldAdmin (also by admin_priority 0), kDependency, kDependencyNever or
  // kNone: what keeps all pairs of the job back.
  static Reason OfJob(const Job& job);

  // The first of the later reasons that applies to a pair. `partition` and
  // `qos` are indices, -1 = none; a job without QOS is not in AllowQos. Access
  // lists cover the accounts below the ones they name, as in Slurm 25.11.
  Reason OfPair(const Job& job, AssociationIndex association, int partition, int qos) const;

  // The same whether or not the partition is up, and of the partition alone: its limits and its
  // access lists. REQUIRES: partition is not -1.
  Reason OfPartition(const Job& job, AssociationIndex association, int partition, int qos) const;

  // Whether the access lists of a partition, which need not be up, take the association, and the
  // QOS (-1 = none). REQUIRES: partition is not -1.
  bool TakesAccount(AssociationIndex association, int partition) const {
    return AccountAllowed(lists_[partition], association);
  }
  bool TakesQos(int qos, int partition) const { return QosAllowed(lists_[partition], qos); }

  // Whether nodes and time limit fit the partition, whatever else is wrong. A
  // partition whose nodes are not known (0) is limited by MaxNodes alone.
  // PartitionMaxNodes and its like of the QOS (-1 = none) lift the partition's.
  static bool WithinLimits(const Snapshot& snapshot, const Job& job, int partition, int qos);

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

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_ELIGIBILITY_H_
