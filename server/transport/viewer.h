// The parts of a cluster that a caller may see.
#ifndef PRIORITYD_SERVER_TRANSPORT_VIEWER_H_
#define PRIORITYD_SERVER_TRANSPORT_VIEWER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/authorization/private_data.h"
#include "server/authorization/visibility.h"
#include "server/queue/state/shown_ranking.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// The words of PrivateData that hide the rows which an RPC `reveals` from users.
authorization::PrivateData HiddenBy(const priority::Policy& policy,
                                    const authorization::PrivateData& reveals);

// The visibility of the rows that an RPC `reveals`, by the PrivateData of the snapshot's policy,
// for a user (empty = not in the association data) who coordinates these accounts and has no role
// that sees all. Null = everything; reads the tree only if something is private.
std::shared_ptr<const authorization::Visibility> VisibilityOf(
    const authorization::PrivateData& reveals, const std::string& user,
    const std::vector<std::string>& coordinated, const priority::Snapshot& snapshot);

// These accounts including all below them.
authorization::AccountSet WithAllBelow(const std::vector<std::string>& accounts,
                                       const priority::AssociationTree& tree);

// The account charged for a job, known or not; empty = the job names none and its user has no
// default.
absl::string_view AccountOf(const priority::Snapshot& snapshot, const priority::Job& job);

// Whether the caller may see a job of the tracked queue, and usage and shares of its association,
// which is the surviving user's if the job's is merged.
bool SeesJob(const authorization::Visibility& sees, const priority::Snapshot& snapshot,
             const priority::Job& job);
bool SeesShares(const authorization::Visibility& sees, const priority::Snapshot& snapshot,
                const priority::Job& job);

// The same as filters; null if everything is visible. The arguments must outlive them.
queue::JobFilter ShownJobs(const authorization::Visibility& sees,
                           const priority::Snapshot& snapshot);
queue::JobFilter ShownShares(const authorization::Visibility& sees,
                             const priority::Snapshot& snapshot);

// By QOS index: if shares are private, whether an association that the caller may see may use it.
std::vector<bool> ShownQos(const authorization::Visibility& sees,
                           const priority::Snapshot& snapshot);

// PERMISSION_DENIED (ROLE_REQUIRED) if a job in the request belongs to a user whose shares are
// hidden from the caller: its rank among the caller's jobs would reveal them.
absl::Status CheckInlineJobs(const Caller& caller, const priority::Snapshot& snapshot,
                             absl::Span<const priority::Job> jobs);

// The same if a job is charged to an account that is hidden from the caller, or that does not
// exist.
absl::Status CheckInlineAccounts(const Caller& caller, const priority::Snapshot& snapshot,
                                 absl::Span<const priority::Job> jobs);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_VIEWER_H_
