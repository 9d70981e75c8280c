// Resolves the names in a job to indices of the snapshot (docs/semantics.md, section 2, "How a job
// resolves").
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_RESOLUTION_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_RESOLUTION_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// The pairs of a job: each of `partitions` with each of `qos`. Partitions and QOS that do not
// exist, and QOS that the association may not use, are left out.
struct ResolvedJob {
  // kInvalidAccount, kInvalidQos or kInvalidPartition: the job has no pair. Else kNone.
  Reason reason = Reason::kNone;
  AssociationIndex association = kNoAssociation;
  // Indices in the order in which the job names them, without duplicates; {-1} = the job names
  // none and there is no default.
  absl::InlinedVector<int, 2> partitions;
  absl::InlinedVector<int, 2> qos;
};

// The names of a pair; empty = none.
struct PairNames {
  absl::string_view partition;
  absl::string_view qos;
};
// The names of a pair given as indices, -1 = none. The views point into the snapshot.
PairNames NamesOf(const Snapshot& snapshot, int partition, int qos);

// The names that apply to a job: those that it names, else the defaults, whether they exist and
// may be used or not. Views point into the snapshot and the job.
using AppliedNames = absl::InlinedVector<absl::string_view, 1>;

// Resolves many jobs; caches which QOS their associations may use. A job without partitions
// resolves as if it named the default one. `snapshot` and the jobs must outlive it.
// Thread-compatible.
class JobResolver {
 public:
  explicit JobResolver(const Snapshot& snapshot) : snapshot_(snapshot) {}

  ResolvedJob Resolve(const Job& job);

  // The account that is charged; empty = the job names none and its user has no default account.
  absl::string_view AccountOf(const Job& job) const;
  // The partitions in which it may run; empty = it names none and there is no default partition.
  AppliedNames PartitionsOf(const Job& job) const;
  // The QOS under which it may run; empty = it names none and has no default QOS that it may use.
  AppliedNames QosOf(const Job& job);

 private:
  // The QOS of associations that share a QOS list and a default QOS.
  struct QosRule {
    absl::InlinedVector<int, 1> if_unnamed;  // For jobs that name none; empty = InvalidQOS.
    bool all = false;
    absl::InlinedVector<int, 4> allowed;

    bool Allows(int qos) const;
  };
  // The list, which the tree stores once, and the name of the default.
  using RuleKey = std::pair<const std::string*, absl::string_view>;

  AssociationIndex FindAssociation(const Job& job) const;
  const QosRule& RuleOf(AssociationIndex association);
  QosRule MakeRule(AssociationIndex association) const;
  void ResolveQos(const Job& job, const QosRule& rule, ResolvedJob& resolved) const;
  bool IsUsable(int qos) const;
  void ResolvePartitions(const Job& job, ResolvedJob& resolved) const;

  const Snapshot& snapshot_;
  absl::flat_hash_map<RuleKey, std::unique_ptr<const QosRule>> rules_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_RESOLUTION_H_
