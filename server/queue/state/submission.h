// Checks of submission: jobs that Slurm would refuse.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_

#include <functional>
#include <optional>

#include "absl/strings/string_view.h"
#include "engine/priority/jobs/eligibility.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/ranking/limit_check.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Whether a user is in a group.
using InGroup = std::function<bool(absl::string_view group, absl::string_view user)>;

// Refuses jobs by policy: AccountingStorageEnforce refuses jobs without an association or with a
// forbidden QOS; the partition's State, RootOnly, AllowGroups and MaxCPUsPerNode refuse jobs that
// the partition never accepts; EnforcePartLimits refuses jobs that do not fit their partitions; the
// QOS flag DenyOnLimit refuses jobs that alone exceed a limit; used up grants with the consequence
// refuse refuse those that request their TRES; MaxArraySize refuses arrays; where
// the cluster has licenses, it refuses jobs with other ones; where it has reservations, jobs that
// name one that does not exist, has ended, or is not for them. Messages begin with sbatch's text.
// `state` must outlive it. Thread-compatible.
class Submission {
 public:
  // `in_group`: null = AllowGroups is ignored.
  explicit Submission(const QueueState& state, InGroup in_group = nullptr);

  // For a pending job. `before`: the job in the queue, null = new. A changed job is checked only
  // for a new user, account, QOS, partition or reservation, as if submitted with it: its size and
  // the partitions that it already had are not checked. `admitted`: a newer configuration than the
  // snapshot's may accept the job, so only the licenses of a new job are checked.
  std::optional<Refusal> Refuse(const TrackedJob& job, const TrackedJob* before = nullptr,
                                bool admitted = false);

 private:
  std::optional<Refusal> RefuseUnknownPartition(const priority::Job& job) const;
  std::optional<Refusal> RefuseAssociation(const priority::Job& job,
                                           const priority::ResolvedJob& resolved) const;
  // Whether it names several partitions and one of them has its own association.
  bool NamesPartitionOfAssociation(const priority::Job& job,
                                   priority::AssociationIndex association) const;
  std::optional<Refusal> RefuseReservation(const priority::Job& job,
                                           priority::AssociationIndex association) const;
  std::optional<Refusal> RefuseLicenses(const priority::Job& job) const;
  // By MaxArraySize.
  std::optional<Refusal> RefuseArray(const TrackedJob& job) const;
  using Indices = decltype(priority::ResolvedJob::partitions);
  // The job's, also without an association; -1 = unknown.
  Indices PartitionsOf(const priority::Job& job, const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefuseEntry(const priority::Job& job,
                                     const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefuseMisfit(const priority::Job& job,
                                      const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefuseOverLimit(const priority::Job& job,
                                         const priority::ResolvedJob& resolved) const;
  std::optional<Refusal> RefuseByGrant(const priority::Job& job,
                                       const priority::ResolvedJob& resolved) const;
  // The reason that the partition refuses the job regardless of its size; nullopt = it accepts it.
  std::optional<Refusal> EntryDenied(const priority::Job& job, int partition) const;
  // The reason that the job does not fit the partition, whether that is up or not; nullopt = it
  // fits.
  std::optional<Refusal> MisfitOf(const priority::Job& job, const priority::ResolvedJob& resolved,
                                  int partition) const;

  const QueueState& state_;
  const priority::Snapshot& snapshot_;
  const InGroup in_group_;
  priority::JobResolver resolver_;
  std::optional<priority::Eligibility> eligibility_;  // Set if EnforcePartLimits needs it.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SUBMISSION_H_
