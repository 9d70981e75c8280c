// Revisions of a cluster's configuration: its totals and ledger horizon, associations,
// users and their aliases and merges, QOS, partitions, policies, half-lives and manual resets.
#ifndef STORAGE_CONFIGURATION_CONFIGURATION_STORE_H_
#define STORAGE_CONFIGURATION_CONFIGURATION_STORE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Triggers in the database count: every statement that changes the configuration makes a new
// revision and notifies the replicas (migrations 6 and 11).
class ConfigurationStore {
 public:
  explicit ConfigurationStore(Transaction& transaction) : transaction_(transaction) {}

  // The revision; 0 for a cluster that has not changed since revisions were introduced.
  absl::StatusOr<int64_t> Revision(int32_t cluster_id);
  // The same, locked until the end of the transaction.
  absl::StatusOr<int64_t> LockRevision(int32_t cluster_id);

  // The revision of Edition::kPublished; -1 before the first.
  absl::StatusOr<int64_t> PublishedRevision(int32_t cluster_id);

  // Makes the current configuration the published edition; writes only rows that differ. REQUIRES:
  // it has this revision, by LockRevision.
  absl::Status Publish(int32_t cluster_id, int64_t revision);
  // The same if the published edition was read at this watermark (UsageStore::Watermark): compares
  // only associations and users that were written since.
  absl::Status PublishWritten(int32_t cluster_id, int64_t revision, int64_t watermark);

 private:
  absl::Status SetPublished(int32_t cluster_id, int64_t revision);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_CONFIGURATION_STORE_H_
