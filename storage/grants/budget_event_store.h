// Events: usage reached a threshold of a limit on usage, or of a grant.
#ifndef STORAGE_GRANTS_BUDGET_EVENT_STORE_H_
#define STORAGE_GRANTS_BUDGET_EVENT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// A threshold of a budget of an association or a QOS, or of a grant, by names; "" = none.
struct BudgetThreshold {
  std::string account;
  std::string user_name;
  std::string partition;
  std::string qos;
  std::string tres;  // "" = GrpWall.
  int32_t percent = 0;
  std::string grant_name;
  std::string grant_window;  // Of reported thresholds only.
  bool operator==(const BudgetThreshold&) const = default;
};

// The columns of a reported threshold.
const ColumnTable<BudgetThreshold>& BudgetReportedColumns();

struct BudgetEvent {
  int64_t id = 0;
  BudgetThreshold threshold;
  double limit_seconds = 0;
  double used_seconds = 0;
  absl::Time reached_at;
  bool operator==(const BudgetEvent&) const = default;
};

// The columns of the table.
const ColumnTable<BudgetEvent>& BudgetEventColumns();

// Selects events after this one, of these names (empty = all).
struct BudgetEventFilter {
  int64_t after_id = 0;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  int64_t limit = 0;
};

// Only one transaction at a time appends events of a cluster, so that ids are in the order in which
// events become visible.
class BudgetEventStore {
 public:
  explicit BudgetEventStore(Transaction& transaction) : transaction_(transaction) {}

  // The thresholds that were reported and have not fallen since.
  absl::StatusOr<std::vector<BudgetThreshold>> ListReported(int32_t cluster_id);

  // Appends events and marks their thresholds as reported. Ignores ids.
  absl::Status Append(int32_t cluster_id, absl::Span<const BudgetEvent> events);

  // Unmarks these thresholds, so that they can be reported again.
  absl::Status Forget(int32_t cluster_id, absl::Span<const BudgetThreshold> thresholds);

  // Deletes older events; thresholds stay marked as reported.
  absl::Status DeleteBefore(int32_t cluster_id, absl::Time time);

  // Ascending by id.
  absl::StatusOr<std::vector<BudgetEvent>> List(int32_t cluster_id,
                                                const BudgetEventFilter& filter);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_GRANTS_BUDGET_EVENT_STORE_H_
