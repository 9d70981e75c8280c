// Qualities of service.
#ifndef STORAGE_CONFIGURATION_QOS_STORE_H_
#define STORAGE_CONFIGURATION_QOS_STORE_H_

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

struct Qos {
  int64_t id = 0;
  int32_t cluster_id = 0;
  std::string name;
  int64_t priority = 0;              // 0..4294967295
  double usage_factor = 1;           // at least 0
  std::vector<std::string> flags;    // Slurm's words
  std::vector<std::string> preempt;  // names of the QOS it can preempt
  std::optional<double> usage_threshold;
  // nullopt or empty = no limit.
  std::vector<NamedAmount> grp_tres_mins;  // TRES minutes
  std::optional<double> grp_wall_minutes;
  std::optional<int64_t> max_submit_jobs_per_user;
  // Limits that priorityd does not implement, as text, in order.
  std::vector<KeyValue> other_limits;
  // Its usage before counts 0.
  std::optional<absl::Time> usage_reset_at;
  std::optional<absl::Time> deleted_at;
  bool operator==(const Qos&) const = default;
};

// The columns of the table.
const ColumnTable<Qos>& QosColumns();

// Lists are in the order of ids, which is the order of insertion.
class QosStore {
 public:
  explicit QosStore(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<std::vector<Qos>> List(int32_t cluster_id, Edition edition = Edition::kCurrent);
  absl::StatusOr<std::vector<Qos>> ListDeleted(int32_t cluster_id);

  // Returns the new id; qos.id and deleted_at are ignored. ALREADY_EXISTS if a
  // live one of that name is there.
  absl::StatusOr<int64_t> Insert(const Qos& qos);

  // Writes all fields except id, cluster_id and deleted_at. NOT_FOUND if it does not exist or is
  // deleted.
  absl::Status Update(const Qos& qos);

  // Marks it as deleted at `at`. NOT_FOUND as in Update.
  absl::Status Delete(int32_t cluster_id, int64_t id, absl::Time at);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_QOS_STORE_H_
