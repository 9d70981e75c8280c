// What a caller is shown of a cluster.
#ifndef PRIORITYD_SERVER_RPC_VIEWER_H_
#define PRIORITYD_SERVER_RPC_VIEWER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/authorization/private_data.h"
#include "server/authorization/visibility.h"
#include "server/priority/job.h"
#include "server/priority/policy.h"
#include "server/priority/snapshot.h"
#include "server/queue/state/shown_ranking.h"
#include "server/rpc/caller.h"

namespace priorityd::rpc {

// The words of the policy that keep rows which an RPC `tells` from users.
authorization::PrivateData HiddenBy(const priority::Policy& policy,
                                    const authorization::PrivateData& tells);

// Of the rows that an RPC `tells`, by the PrivateData of the snapshot's policy, for a user (empty =
// nobody in the association data) who coordinates these accounts and has no role that sees all.
// Null = everything: looks at the tree only where something is private.
std::shared_ptr<const authorization::Visibility> VisibilityOf(
    const authorization::PrivateData& tells, const std::string& user,
    const std::vector<std::string>& coordinated, const priority::Snapshot& snapshot);

// These accounts and all below them.
authorization::AccountSet WithAllBelow(const std::vector<std::string>& accounts,
                                       const priority::AssociationTree& tree);

// The account that a job is charged to, known or not; empty = it names none and its user has none.
absl::string_view AccountOf(const priority::Snapshot& snapshot, const priority::Job& job);

// Whether she is shown a job of the tracked queue, and usage and shares of the job's association.
bool SeesJob(const authorization::Visibility& sees, const priority::Snapshot& snapshot,
             const priority::Job& job);
bool SeesShares(const authorization::Visibility& sees, const priority::Snapshot& snapshot,
                const priority::Job& job);

// The same as filters; null where she is shown all. What is given must outlive them.
queue::JobFilter ShownJobs(const authorization::Visibility& sees,
                           const priority::Snapshot& snapshot);
queue::JobFilter ShownShares(const authorization::Visibility& sees,
                             const priority::Snapshot& snapshot);

// PERMISSION_DENIED (ROLE_REQUIRED) if one of the jobs that came with a request is of a user whose
// shares the caller is not shown: beside jobs of her own its place would tell them.
absl::Status CheckInlineJobs(const Caller& caller, const priority::Snapshot& snapshot,
                             absl::Span<const priority::Job> jobs);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_VIEWER_H_
