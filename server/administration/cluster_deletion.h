// Deletes a cluster with all its data.
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

// Returns what was deleted or, with validate_only, would be. The first transaction removes the
// cluster's name, so that it can no longer be found, and writes an audit event; the rows are
// deleted in many short transactions. Resumes an interrupted deletion, as FinishDeletions does.
// NOT_FOUND (UNKNOWN_CLUSTER); UNAVAILABLE, ABORTED: the database.
absl::StatusOr<storage::ClusterContents> DeleteCluster(storage::Database& database,
                                                       const std::string& name,
                                                       const ChangeContext& context);

// Resumes all unfinished deletions while `may_go_on`, which is called between short transactions,
// is true; if a deletion also runs elsewhere, both share the work. Returns the names of the
// clusters whose deletion it finished. Errors of the database.
absl::StatusOr<std::vector<std::string>> FinishDeletions(storage::Database& database,
                                                         const std::function<bool()>& may_go_on);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CLUSTER_DELETION_H_
