// That usage reached a part of a limit on usage.
#ifndef STORAGE_BUDGET_EVENT_STORE_H_
#define STORAGE_BUDGET_EVENT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// A part of a budget: of an association or of a QOS, by names; "" = none.
struct BudgetThreshold {
  std::string account;
  std::string user_name;
  std::string partition;
  std::string qos;
  std::string tres;  // "" = GrpWall.
  int32_t percent = 0;
  bool operator==(const BudgetThreshold&) const = default;
};

// How one that was told is stored.
const ColumnTable<BudgetThreshold>& BudgetToldColumns();

struct BudgetEvent {
  int64_t id = 0;
  BudgetThreshold threshold;
  double limit_seconds = 0;
  double used_seconds = 0;
  absl::Time reached_at;
  bool operator==(const BudgetEvent&) const = default;
};

// How it is stored.
const ColumnTable<BudgetEvent>& BudgetEventColumns();

// Which events: after this one, of these names (empty = all).
struct BudgetEventFilter {
  int64_t after_id = 0;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  int64_t limit = 0;
};

// Events of one cluster are appended by one at a time, so that their ids are in the order in which
// they are seen.
class BudgetEventStore {
 public:
  explicit BudgetEventStore(Transaction& transaction) : transaction_(transaction) {}

  // What was told and has not fallen since.
  absl::StatusOr<std::vector<BudgetThreshold>> ListTold(int32_t cluster_id);

  // Appends events, whose thresholds are told from now on. ids are ignored.
  absl::Status Append(int32_t cluster_id, absl::Span<const BudgetEvent> events);

  // These may be told again.
  absl::Status Forget(int32_t cluster_id, absl::Span<const BudgetThreshold> thresholds);

  // Deletes events that are older; what was told stays so.
  absl::Status DeleteBefore(int32_t cluster_id, absl::Time time);

  // Ascending by id.
  absl::StatusOr<std::vector<BudgetEvent>> List(int32_t cluster_id,
                                                const BudgetEventFilter& filter);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_BUDGET_EVENT_STORE_H_
