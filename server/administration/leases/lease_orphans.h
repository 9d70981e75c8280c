// Ends leases with their objects.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_ORPHANS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_ORPHANS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/frame/configured_cluster.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Ends at `time`, by the cluster's clock, the leases whose association, user, QOS or partition does
// not exist any more, and audits each (LeaseEnd): an object that is created later under the same
// name does not get them. `by` deleted the objects. Returns a warning; empty = there were none.
// Call it in the transaction that deletes objects, after that.
absl::StatusOr<std::string> EndLeasesOfDeleted(storage::Transaction& transaction,
                                               int32_t cluster_id, absl::Time time,
                                               const std::string& by);
// The time of `context` by the clock of the newest policy; at least that of UnixEpoch.
absl::StatusOr<absl::Time> LeaseTimeOf(storage::Transaction& transaction, int32_t cluster_id,
                                       const ChangeContext& context);
// The same at the time of `context` by the clock of the newest policy, which it returns; adds the
// warning.
absl::StatusOr<absl::Time> EndLeasesOfDeleted(storage::Transaction& transaction, int32_t cluster_id,
                                              const ChangeContext& context,
                                              std::vector<std::string>* warnings);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_ORPHANS_H_
