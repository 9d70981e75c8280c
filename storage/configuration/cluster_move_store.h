// Clusters that move from one database to another.
#ifndef STORAGE_CONFIGURATION_CLUSTER_MOVE_STORE_H_
#define STORAGE_CONFIGURATION_CLUSTER_MOVE_STORE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The state of a moving cluster in this database. At the source: kLeaving, kFrozen, kMoved; at the
// target: kArriving, kArrived.
enum class MoveState { kLeaving, kFrozen, kMoved, kArriving, kArrived };

struct ClusterMove {
  std::string cluster;
  std::string move_id;                // The same in both databases.
  std::optional<int32_t> cluster_id;  // nullopt = it has no rows here any more.
  std::string cell;                   // The other one.
  MoveState state = MoveState::kLeaving;
  int64_t last_seq = 0;  // kLeaving, kFrozen: the ledger may be copied up to this record.
  bool returns = false;  // kArriving: it had moved from here.
  bool operator==(const ClusterMove&) const = default;
};

struct MovedCluster {
  std::string cluster;
  std::string cell;  // The cell that has it.
  bool operator==(const MovedCluster&) const = default;
};

class ClusterMoveStore {
 public:
  explicit ClusterMoveStore(Transaction& transaction) : transaction_(transaction) {}

  // nullopt = no move of that name is known.
  absl::StatusOr<std::optional<ClusterMove>> Find(const std::string& cluster);
  // The same, locked until the end of the transaction. Waits for all other callers of Lock.
  absl::StatusOr<std::optional<ClusterMove>> Lock(const std::string& cluster);

  // Writes or replaces the row. REQUIRES: Lock.
  absl::Status Write(const ClusterMove& move);
  // Deletes the row with the progress. REQUIRES: Lock.
  absl::Status Delete(const std::string& cluster);

  // The clusters that are in another cell, also those that arrive.
  absl::StatusOr<std::vector<MovedCluster>> ListMoved();

  // The number of clusters that are frozen for the switch of a move.
  absl::StatusOr<int64_t> CountFrozen();

  // Whether the cluster leaves: its ledger must not be rolled up.
  absl::StatusOr<bool> IsLeaving(int32_t cluster_id);

  // UNAVAILABLE (IsClusterFrozen) if the cluster must not be changed. REQUIRES: a lock that Freeze
  // takes too.
  absl::Status RequireWritable(int32_t cluster_id);

  // The number of the last record of the ledger. REQUIRES: ClusterStore::Lock, so that each record
  // up to it is committed.
  absl::StatusOr<int64_t> LastSeq(int32_t cluster_id);

  // Excludes all changes of the cluster from the commit on: waits for those in progress. REQUIRES:
  // ClusterStore::Lock; the row is written as kFrozen in the same transaction.
  absl::Status Freeze(int32_t cluster_id);
  absl::Status Thaw(int32_t cluster_id);

  // Creates a cluster that cannot be found by its name, until Activate; returns its id.
  absl::StatusOr<int32_t> CreateHidden(const std::string& cluster);
  // Gives it its name, and numbers new rows after those that it has, audit events after
  // `last_audit_event`. ALREADY_EXISTS if another has that name.
  absl::Status Activate(int32_t cluster_id, int64_t last_audit_event);
  absl::StatusOr<int64_t> LastAuditEvent(int32_t cluster_id);

  // The newest migration.
  absl::StatusOr<int32_t> SchemaVersion();

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_CLUSTER_MOVE_STORE_H_
