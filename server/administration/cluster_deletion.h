// Deletes a cluster with all that it has.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CLUSTER_DELETION_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CLUSTER_DELETION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/configured_cluster.h"
#include "storage/cluster_deletion.h"
#include "storage/database.h"

namespace priorityd::administration {

// Answers what is gone, or, with validate_only, what would be. The first transaction takes the
// cluster's name away, so that nobody finds it from then on, and leaves an audit row; the rows go
// in many short ones. Where a deletion was cut short this goes on with it, as FinishDeletions does.
// NOT_FOUND (UNKNOWN_CLUSTER); UNAVAILABLE, ABORTED the database.
absl::StatusOr<storage::ClusterContents> DeleteCluster(storage::Database& database,
                                                       const std::string& name,
                                                       const ChangeContext& context);

// Goes on with all deletions that were begun, while `may_go_on`, which is asked between short
// transactions; one that is at work elsewhere is only done sooner. Answers the names of the
// clusters that are gone by it. Errors of the database.
absl::StatusOr<std::vector<std::string>> FinishDeletions(storage::Database& database,
                                                         const std::function<bool()>& may_go_on);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CLUSTER_DELETION_H_
