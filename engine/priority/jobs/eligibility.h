// The reasons that a job cannot start now, apart from begin times and limits.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_ELIGIBILITY_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_ELIGIBILITY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// Checks whether a job can start in one of its pairs. Does not check begin times (kBeginTime: the
// caller compares begin_time()) or limits (kLimit: see LimitCheck). Stores the access lists of the
// snapshot's partitions as sets; `snapshot` must outlive it. Thread-compatible.
class Eligibility {
 public:
  explicit Eligibility(const Snapshot& snapshot);

  // The reason that blocks all pairs of the job: kJobHeldUser, kJobHeldAdmin (also for
  // admin_priority 0), kDependency, kDependencyNever or kNone.
  static Reason OfJob(const Job& job);

  // The first reason that blocks one pair, in the order of Reason. `partition` and `qos` are
  // indices, -1 = none; AllowQos excludes a job without QOS. An account in an access list stands
  // for all accounts below it too, as in Slurm 25.11. Access lists ignore the case of names, as
  // slurmctld makes them lower case.
  Reason OfPair(const Job& job, AssociationIndex association, int partition, int qos) const;

  // The same for the limits and access lists of the partition alone, whether or not it is up.
  // REQUIRES: partition is not -1.
  Reason OfPartition(const Job& job, AssociationIndex association, int partition, int qos) const;

  // Whether the access lists of a partition, up or not, allow the association; the QOS (-1 =
  // none). REQUIRES: partition is not -1.
  bool TakesAccount(AssociationIndex association, int partition) const {
    return AccountAllowed(lists_[partition], association);
  }
  bool TakesQos(int qos, int partition) const { return QosAllowed(lists_[partition], qos); }

  // Whether nodes and time limit fit the partition; checks nothing else. A partition whose number
  // of nodes is unknown (0) is limited by MaxNodes alone. The flags PartitionMaxNodes,
  // PartitionMinNodes and PartitionTimeLimit of the QOS (-1 = none) lift the partition's limits.
  static bool WithinLimits(const Snapshot& snapshot, const Job& job, int partition, int qos);

 private:
  struct HashIgnoringCase {
    size_t operator()(absl::string_view name) const {
      return absl::HashOf(absl::AsciiStrToLower(name));
    }
  };
  struct EqualIgnoringCase {
    bool operator()(absl::string_view one, absl::string_view other) const {
      return absl::EqualsIgnoreCase(one, other);
    }
  };
  using Names = absl::flat_hash_set<absl::string_view, HashIgnoringCase, EqualIgnoringCase>;
  struct AccessLists {
    Names allow_accounts;
    Names deny_accounts;
    Names allow_qos;
    Names deny_qos;
  };

  static Names SetOf(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

  bool AccountAllowed(const AccessLists& lists, AssociationIndex association) const;
  bool QosAllowed(const AccessLists& lists, int qos) const;

  const Snapshot& snapshot_;
  std::vector<AccessLists> lists_;  // By partition.
};

// Whether EnforceUsageThreshold of `qos` makes jobs wait whose association has the fair-share
// factor `fair_share`.
bool BelowUsageThreshold(const Qos& qos, double fair_share);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_ELIGIBILITY_H_
