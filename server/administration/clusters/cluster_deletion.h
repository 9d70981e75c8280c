// Deletes a cluster with all its data.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_DELETION_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_DELETION_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/frame/configured_cluster.h"
#include "storage/configuration/cluster_deletion.h"
#include "storage/database/database.h"

namespace priorityd::administration {

// The time for which a deleted cluster can be restored.
inline constexpr absl::Duration kGrace = absl::Hours(24);

struct ClusterDeleted {
  storage::ClusterContents contents;           // Deleted or, with validate_only, to be deleted.
  std::optional<absl::Time> restorable_until;  // Unset if the rows are deleted too.
};

// Removes the cluster's name, so that it can no longer be found, and writes an audit event. With
// `purge`, deletes the rows too, in many short transactions; also those of clusters that had the
// name and were deleted before. Without, an interrupted purge is resumed, as by FinishDeletions.
// UNAVAILABLE if `may_go_on`, which is called between these transactions, was false:
// FinishDeletions deletes the rest. NOT_FOUND (UNKNOWN_CLUSTER); UNAVAILABLE, ABORTED: the
// database.
absl::StatusOr<ClusterDeleted> DeleteCluster(storage::Database& database, const std::string& name,
                                             bool purge, const ChangeContext& context,
                                             const std::function<bool()>& may_go_on);

// Restores the last deleted cluster of that name, and writes an audit event; its fair-share is that
// of before until the next recalculation. NOT_FOUND (UNKNOWN_CLUSTER) if none can be restored;
// FAILED_PRECONDITION (NAME_TAKEN) if another cluster has the name now; UNAVAILABLE, ABORTED: the
// database.
absl::StatusOr<storage::Cluster> RestoreCluster(storage::Database& database,
                                                const std::string& name,
                                                const ChangeContext& context);

// Deletes the rows of clusters that can no longer be restored, and resumes all unfinished
// deletions, while `may_go_on`, which is called between short transactions, is true; if a deletion
// also runs elsewhere, both share the work. Returns the names of the clusters whose deletion it
// finished. Errors of the database.
absl::StatusOr<std::vector<std::string>> FinishDeletions(storage::Database& database,
                                                         const std::function<bool()>& may_go_on);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_DELETION_H_
