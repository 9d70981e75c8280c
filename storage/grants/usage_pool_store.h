// The usage of owners of grants, settled from the ledger, and what snapshots know of it.
#ifndef STORAGE_GRANTS_USAGE_POOL_STORE_H_
#define STORAGE_GRANTS_USAGE_POOL_STORE_H_

#include <cstdint>
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

// The usage of one TRES by one owner.
struct UsagePool {
  int64_t id = 0;
  std::vector<std::string> accounts;  // Ascending.
  std::string user_name;
  std::string tres;
  int64_t settled_seq = 0;  // The records up to this one are in its periods.
  bool is_stale = false;    // The periods must be summed up again.
  bool operator==(const UsagePool&) const = default;
};

// The position up to which a pool is settled, as its reader knows it.
struct StoredPool {
  int64_t id = 0;
  int64_t settled_seq = 0;
};

// Amounts are decimal numbers of TRES-seconds, exact. The last period of a pool ends at
// InfiniteFuture().
struct UsagePoolPeriod {
  int64_t pool_id = 0;
  absl::Time begin_time;
  absl::Time end_time;
  std::string used;
  bool operator==(const UsagePoolPeriod&) const = default;
};

// The words are the caller's own.
struct GrantStanding {
  int64_t place = 0;
  std::string name;
  std::vector<std::string> accounts;
  std::string user_name;
  std::string tres;
  double available = 0;
  double used = 0;
  absl::Time until_time;
  bool ends = false;
  bool has_grace = false;
  bool has_borrow = false;
  bool has_others = false;
  std::string consequence;
  std::string demoted_qos;
  std::string consequence_value;
  bool operator==(const GrantStanding&) const = default;
};

// The columns of the table.
const ColumnTable<GrantStanding>& GrantStandingColumns();

// The standings that `others` does not have. Both by place.
std::vector<GrantStanding> Without(const std::vector<GrantStanding>& standings,
                                   const std::vector<GrantStanding>& others);

// An association on the path to root.
struct PathStep {
  int64_t id = 0;
  std::string account;
  std::string user_name;
  bool operator==(const PathStep&) const = default;
};

class UsagePoolStore {
 public:
  explicit UsagePoolStore(Transaction& transaction) : transaction_(transaction) {}

  // By id.
  absl::StatusOr<std::vector<UsagePool>> List(int32_t cluster_id);
  // Of these pools, by pool and time.
  absl::StatusOr<std::vector<UsagePoolPeriod>> ListPeriods(int32_t cluster_id,
                                                           const std::vector<int64_t>& ids);

  // Returns the new id; pool.id is ignored.
  absl::StatusOr<int64_t> Insert(int32_t cluster_id, const UsagePool& pool);
  absl::Status Delete(int32_t cluster_id, const std::vector<int64_t>& ids);
  // Deletes the pools of owners without a grant, revoked ones included: nothing settles them, and
  // the ledger's horizon would wait for them.
  absl::Status DeleteWithoutGrant(int32_t cluster_id);
  // Sets settled_seq of these pools. `summed_up`: stale ones were, and no longer are. ABORTED if
  // one is not stored as given: the caller's periods are not those that are stored.
  absl::Status SetSettled(int32_t cluster_id, const std::vector<StoredPool>& pools, int64_t seq,
                          bool summed_up);

  // Replaces all periods of these pools.
  absl::Status ReplacePeriods(int32_t cluster_id, const std::vector<int64_t>& ids,
                              absl::Span<const UsagePoolPeriod> periods);
  // Adds `used`, which may be negative, to existing periods; their end_time is ignored. INTERNAL if
  // one does not exist.
  absl::Status AddToPeriods(int32_t cluster_id, absl::Span<const UsagePoolPeriod> changes);

  // The association, deleted or not, then its parents up to root. Empty if it does not exist.
  absl::StatusOr<std::vector<PathStep>> PathOf(int32_t cluster_id, int64_t association_id);

  // By place.
  absl::StatusOr<std::vector<GrantStanding>> ListStandings(int32_t cluster_id);
  // Replaces `present`, which are all that ListStandings would return, by `standings`; writes only
  // those that differ. Both by place.
  absl::Status ReplaceStandings(int32_t cluster_id, const std::vector<GrantStanding>& present,
                                const std::vector<GrantStanding>& standings);
  // Writes those at their places. INTERNAL if one has no row.
  absl::Status UpdateStandings(int32_t cluster_id, const std::vector<GrantStanding>& standings);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_GRANTS_USAGE_POOL_STORE_H_
