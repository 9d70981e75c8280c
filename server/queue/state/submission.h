// Which jobs Slurm would not take at all.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_

#include <functional>
#include <optional>

#include "absl/strings/string_view.h"
#include "server/priority/eligibility.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job_resolution.h"
#include "server/priority/limit_check.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Whether a user is in a group.
using InGroup = std::function<bool(absl::string_view group, absl::string_view user)>;

// Refuses what the policy says is to be refused: by AccountingStorageEnforce jobs without an
// association and of a QOS that they may not have, by the partition's State, RootOnly, AllowGroups
// and MaxCPUsPerNode those that it never takes, by EnforcePartLimits those that do not fit their
// partitions, and by the QOS flag DenyOnLimit those that alone are more than a limit allows.
// A message begins with what sbatch says. `state` must outlive it. Thread-compatible.
class Submission {
 public:
  // `in_group`: null = AllowGroups is not looked at.
  explicit Submission(const QueueState& state, InGroup in_group = nullptr);

  // For a pending job. `before`: as it is in the queue, null = it is new; then it is judged as if
  // it were submitted with the user, account, QOS or partitions that it names now, if they are
  // others: what it asks for, and partitions that it was in already, refuse nothing. `admitted`: a
  // newer configuration than the snapshot's may take it, so that nothing but the licenses that a
  // new one wants refuses it.
  std::optional<Refusal> Refuse(const TrackedJob& job, const TrackedJob* before = nullptr,
                                bool admitted = false);

 private:
  std::optional<Refusal> RefuseUnknownPartition(const priority::Job& job) const;
  std::optional<Refusal> RefuseAssociation(const priority::Job& job,
                                           const priority::ResolvedJob& resolved) const;
  // Whether it names several partitions, one of which has an association of its own.
  bool NamesPartitionOfAssociation(const priority::Job& job,
                                   priority::AssociationIndex association) const;
  std::optional<Refusal> RefuseLicenses(const priority::Job& job) const;
  std::optional<Refusal> RefuseEntry(const priority::Job& job,
                                     const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefuseMisfit(const priority::Job& job,
                                      const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefuseOverLimit(const priority::Job& job,
                                         const priority::ResolvedJob& resolved) const;
  // Why the partition does not take the job, whatever else it would have; nullopt = it does.
  std::optional<Refusal> EntryDenied(const priority::Job& job, int partition) const;
  // Why the job does not fit the partition, up or not; nullopt = it does.
  std::optional<Refusal> MisfitOf(const priority::Job& job, const priority::ResolvedJob& resolved,
                                  int partition) const;

  const QueueState& state_;
  const priority::Snapshot& snapshot_;
  const InGroup in_group_;
  priority::JobResolver resolver_;
  std::optional<priority::Eligibility> eligibility_;  // Where EnforcePartLimits asks for it.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_
