// The replicas that use a database.
#ifndef STORAGE_SNAPSHOTS_REPLICA_STORE_H_
#define STORAGE_SNAPSHOTS_REPLICA_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// A replica without a report for so long has ended.
inline constexpr absl::Duration kReplicaEnded = absl::Minutes(1);

// The data that a replica reports about itself.
struct Replica {
  std::string name;  // DatabaseOptions::application_name: no other has it.
  std::string address;
  std::string version;
  int32_t known_migration = 0;  // The newest that the program knows; 0 = it knows no merges.
  absl::Time started_at;
  bool leads = false;
  double host_ahead_seconds = 0;  // Of the database's clock.
  // The time of the report by the database's clock, and the time since then.
  absl::Time seen_at;
  double unseen_seconds = 0;
};

class ReplicaStore {
 public:
  explicit ReplicaStore(Transaction& transaction) : transaction_(transaction) {}

  // Writes all fields, with seen_at = now, without waiting for the disk.
  absl::Status Report(const Replica& replica);

  // By name.
  absl::StatusOr<std::vector<Replica>> List();

  // Whether a replica runs of which the program does not know this migration, 50 or later.
  absl::StatusOr<bool> AnyRunsWithout(int32_t migration);

  absl::Status Delete(const std::string& name);
  // Deletes replicas without a report for `age`.
  absl::Status DeleteUnseen(absl::Duration age);

  // Migrations that are applied; those that contract may be missing in between.
  absl::StatusOr<std::vector<int32_t>> ListMigrations();
  // PostgreSQL's.
  absl::StatusOr<std::string> ServerVersion();

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_REPLICA_STORE_H_
