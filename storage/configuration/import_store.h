// The changes of imports, with the values before them.
#ifndef STORAGE_CONFIGURATION_IMPORT_STORE_H_
#define STORAGE_CONFIGURATION_IMPORT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

struct ImportRun {
  int64_t id = 0;  // 1, 2, ... in each cluster
  // The newest versions of the policy before and after it; 0 = none.
  int64_t policy_before = 0;
  int64_t policy_after = 0;
  bool undone = false;
};

// A row that an import changed.
struct ImportedRow {
  std::string object;  // Such as `account chem`.
  // `column=value` of the columns that differ; empty = the row did not exist.
  std::string before;
  std::string after;
};

// The rows that an import changed, by kind.
struct ImportedCounts {
  int64_t associations = 0;
  int64_t users = 0;
  int64_t qos = 0;
  int64_t partitions = 0;
  int64_t opening_usage = 0;
  int64_t grants = 0;  // With settings or amounts.
  int64_t grant_transfers = 0;
  int64_t leases = 0;
  int64_t user_merges = 0;
  int64_t user_aliases = 0;
};

// Triggers note the first and the last state of each row that is written between Begin and Finish.
// REQUIRES, of every function: the cluster is locked by ClusterStore::Lock in this transaction.
class ImportStore {
 public:
  // Imports of a cluster that are kept.
  static constexpr int64_t kKept = 10;

  explicit ImportStore(Transaction& transaction) : transaction_(transaction) {}

  // Begins an import; returns its id. `policy`: the newest version, 0 = none.
  absl::StatusOr<int64_t> Begin(int32_t cluster_id, const std::string& principal, int64_t policy);
  // Ends it, and forgets all but the kKept newest. False, and it is forgotten too, if nothing was
  // changed.
  absl::StatusOr<bool> Finish(int32_t cluster_id, int64_t id, int64_t policy);

  // 0 = the newest that is not undone.
  absl::StatusOr<std::optional<ImportRun>> Find(int32_t cluster_id, int64_t id);

  // The first `limit` objects of the import that were changed since, or whose names others have
  // now. A grant was changed by a later amount or transfer too.
  absl::StatusOr<std::vector<std::string>> ChangedSince(int32_t cluster_id, int64_t id,
                                                        int64_t limit);

  absl::StatusOr<ImportedCounts> Count(int32_t cluster_id, int64_t id);
  // The first `limit` rows by kind.
  absl::StatusOr<std::vector<ImportedRow>> List(int32_t cluster_id, int64_t id, int64_t limit);

  // Gives every row its former state; rows that the import created are deleted at the time of the
  // transaction. Leases that it created end at `at`, by the cluster's clock, and those that have
  // not begun are cancelled. Marks the import as undone.
  absl::Status Restore(int32_t cluster_id, int64_t id, absl::Time at, const std::string& by);

  // After Restore: the first `limit` objects that depend on what the import created, among them
  // merges of users, chains of merges or aliases, and associations that no longer hang together.
  absl::StatusOr<std::vector<std::string>> Dependents(int32_t cluster_id, int64_t id,
                                                      int64_t limit);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_IMPORT_STORE_H_
