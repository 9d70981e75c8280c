// Partitions.
#ifndef STORAGE_CONFIGURATION_PARTITION_STORE_H_
#define STORAGE_CONFIGURATION_PARTITION_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/amount.h"
#include "storage/database/published.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct Partition {
  int64_t id = 0;
  int32_t cluster_id = 0;
  std::string name;
  int64_t nodes = 0;
  std::vector<NamedAmount> tres;  // totals; mem and bb in MB
  bool is_default = false;
  int64_t priority_job_factor = 1;
  int64_t priority_tier = 1;
  std::vector<NamedAmount> billing_weights;    // empty = none configured
  std::optional<absl::Duration> max_time;      // whole seconds; nullopt = unlimited
  std::optional<absl::Duration> default_time;  // whole seconds; nullopt = none
  int64_t min_nodes = 0;
  std::optional<int64_t> max_nodes;  // nullopt = unlimited
  // Empty = all allowed, none denied.
  std::vector<std::string> allow_accounts;
  std::vector<std::string> deny_accounts;
  std::vector<std::string> allow_qos;
  std::vector<std::string> deny_qos;
  std::string qos;           // "" = none
  std::string state = "UP";  // Slurm's word
  std::string preempt_mode;  // "" = not given
  bool root_only = false;
  std::optional<int64_t> max_cpus_per_node;  // nullopt = unlimited
  std::optional<double> max_mem_per_node;    // MB; likewise
  std::vector<std::string> allow_groups;     // Empty = all.
  std::optional<absl::Time> deleted_at;
  bool operator==(const Partition&) const = default;
};

// The columns of the table.
const ColumnTable<Partition>& PartitionColumns();

// Lists are in the order of ids, which is the order of insertion.
class PartitionStore {
 public:
  explicit PartitionStore(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<std::vector<Partition>> List(int32_t cluster_id,
                                              Edition edition = Edition::kCurrent);
  absl::StatusOr<std::vector<Partition>> ListDeleted(int32_t cluster_id);

  // Returns the new id; partition.id and deleted_at are ignored.
  // ALREADY_EXISTS if a live one of that name is there.
  absl::StatusOr<int64_t> Insert(const Partition& partition);

  // Writes all fields except id, cluster_id and deleted_at. NOT_FOUND if it does not exist or is
  // deleted.
  absl::Status Update(const Partition& partition);

  // Marks it as deleted at `at`. NOT_FOUND as in Update.
  absl::Status Delete(int32_t cluster_id, int64_t id, absl::Time at);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_PARTITION_STORE_H_
