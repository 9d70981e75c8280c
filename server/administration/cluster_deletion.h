// Deletes a cluster with all that it has.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CLUSTER_DELETION_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CLUSTER_DELETION_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/administration/configured_cluster.h"
#include "storage/cluster_deletion.h"
#include "storage/database.h"

namespace priorityd::administration {

// Answers what is gone, or, with validate_only, what would be. The first transaction takes the
// cluster's name away, so that nobody finds it from then on, and leaves an audit row; the rows go
// in many short ones. Where a deletion was cut short this goes on with it. NOT_FOUND
// (UNKNOWN_CLUSTER); UNAVAILABLE, ABORTED the database.
absl::StatusOr<storage::ClusterContents> DeleteCluster(storage::Database& database,
                                                       const std::string& name,
                                                       const ChangeContext& context);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CLUSTER_DELETION_H_
