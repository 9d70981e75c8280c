// Moves of clusters between cells: what each step changes in the database of one cell.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_MOVE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_MOVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/configuration/cluster_move_store.h"
#include "storage/database/database.h"
#include "storage/schema/cluster_copy.h"

namespace priorityd::administration {

// The steps in the order of a move: Leave at the source, Arrive at the target, pages of
// MoveStage::kLive; Freeze at the source, pages of kFrozen, Activate at the target, Redirect at the
// source; pages of kHistory; End at the target, then at the source. Every step is one transaction
// and may be repeated, so a move is continued by making all its steps again.
//
// All functions return NOT_FOUND (UNKNOWN_CLUSTER) for a cluster that is not here, UNAVAILABLE
// (CLUSTER_MOVED) for one that has moved, FAILED_PRECONDITION (WRONG_MOVE) for a step that does not
// follow the state here, and errors of the database.

struct MoveContext {
  std::string cluster;
  std::string move_id;
  std::string cell;  // The other one.
  std::string principal;
  std::string comment;
};

// The state of a cluster in this cell.
struct MoveStanding {
  bool is_here = false;                      // A cluster of that name can be found.
  std::optional<storage::ClusterMove> move;  // In progress, or of a cluster that has moved.
  int32_t schema_version = 0;
  int64_t last_audit_event = 0;               // Of a cluster that leaves.
  std::vector<storage::CopyProgress> tables;  // Of a cluster that arrives.
};
absl::StatusOr<MoveStanding> StandingOf(storage::Database& database, const std::string& cluster);

// Without a move_id in `context` it is `new_id`. Waits for changes of the cluster in progress.
absl::Status Leave(storage::Database& database, const MoveContext& context,
                   const std::string& new_id);
// FAILED_PRECONDITION (SCHEMA_DIFFERS) if the source has another schema. An arrival of an earlier
// move is discarded. ALREADY_EXISTS (CLUSTER_EXISTS) if there is a cluster of that name.
absl::Status Arrive(storage::Database& database, const MoveContext& context,
                    int32_t source_schema_version);
absl::Status Freeze(storage::Database& database, const MoveContext& context);
// FAILED_PRECONDITION (MOVE_INCOMPLETE) if a page is missing. (OLD_REPLICA) if the cluster has
// merged users and a replica here knows no merges.
absl::Status Activate(storage::Database& database, const MoveContext& context,
                      int64_t last_audit_event);
absl::Status Redirect(storage::Database& database, const MoveContext& context);
absl::Status End(storage::Database& database, const MoveContext& context);
// Before Activate: at the target, then at the source.
absl::Status Cancel(storage::Database& database, const MoveContext& context);

// A page of `table`, at the source. FAILED_PRECONDITION (WRONG_MOVE) if it is too early for the
// stage of the table.
absl::StatusOr<storage::CopiedRows> ReadRows(storage::Database& database,
                                             const MoveContext& context,
                                             const storage::MovedTable& table,
                                             const std::vector<std::string>& after);

// Writes it, at the target, unless the table is not at `after`. Returns where the table is then.
absl::StatusOr<storage::CopyProgress> WriteRows(storage::Database& database,
                                                const MoveContext& context,
                                                const storage::MovedTable& table,
                                                const std::vector<std::string>& after,
                                                const storage::CopiedRows& page);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_MOVE_H_
