// Grants of usage: what accounts or a user may use in windows of time.
#ifndef STORAGE_GRANTS_GRANT_STORE_H_
#define STORAGE_GRANTS_GRANT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// Parts are in millionths; the words are the caller's own.
struct Grant {
  int64_t id = 0;
  std::string name;
  std::vector<std::string> accounts;  // Ascending.
  std::string user_name;              // Empty = everybody in the accounts.
  std::string tres;
  absl::Time begin_time;
  absl::Time end_time = absl::InfiniteFuture();
  std::string window_kind;
  int32_t rolling_days = 0;
  int64_t carry_over = 0;
  std::optional<int64_t> carry_cap;
  int32_t carry_windows = 1;
  std::optional<absl::Duration> carry_half_life;
  int64_t borrow = 0;
  int64_t grace = 0;
  int64_t use_order = 0;
  std::string consequence;
  std::string demoted_qos;
  std::string consequence_value;
  std::optional<absl::Time> revoked_at;
  bool by_coordinator = false;  // It limits its owner; there is no other kind of it at one time.
  bool operator==(const Grant&) const = default;
};

// The columns of the table.
const ColumnTable<Grant>& GrantColumns();

// Amounts are decimal numbers of TRES-seconds, exact.
struct GrantVersion {
  int64_t grant_id = 0;
  absl::Time effective_at;
  std::string amount;
  std::string changed_by;
  std::string comment;
  bool operator==(const GrantVersion&) const = default;
};

struct GrantTransfer {
  int64_t from_id = 0;
  int64_t to_id = 0;
  absl::Time transferred_at;
  std::string amount;
  std::string changed_by;
  std::string comment;
  bool operator==(const GrantTransfer&) const = default;
};

class GrantStore {
 public:
  explicit GrantStore(Transaction& transaction) : transaction_(transaction) {}

  // In the order of creation, revoked ones too.
  absl::StatusOr<std::vector<Grant>> List(int32_t cluster_id);
  // By grant, oldest first.
  absl::StatusOr<std::vector<GrantVersion>> ListVersions(int32_t cluster_id);
  // Oldest first.
  absl::StatusOr<std::vector<GrantTransfer>> ListTransfers(int32_t cluster_id);

  // Returns the new id; grant.id is ignored. ALREADY_EXISTS if one of that name is there.
  absl::StatusOr<int64_t> Insert(int32_t cluster_id, const Grant& grant);
  // Writes all fields except id and name. NOT_FOUND if it does not exist.
  absl::Status Update(int32_t cluster_id, const Grant& grant);
  absl::Status AddVersion(int32_t cluster_id, const GrantVersion& version);
  absl::Status AddTransfer(int32_t cluster_id, const GrantTransfer& transfer);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_GRANTS_GRANT_STORE_H_
