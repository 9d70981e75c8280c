// Associations: (cluster, account, [user], [partition]).
#ifndef STORAGE_CONFIGURATION_ASSOCIATION_STORE_H_
#define STORAGE_CONFIGURATION_ASSOCIATION_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/amount.h"
#include "storage/database/published.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct Association {
  int64_t id = 0;
  int32_t cluster_id = 0;
  std::optional<int64_t> parent_id;  // nullopt = root
  std::string account;
  std::string user_name;              // "" = an account
  std::string partition;              // "" = none
  std::optional<int64_t> raw_shares;  // nullopt = `parent`
  std::optional<int64_t> priority;    // nullopt = unset
  std::optional<std::string> default_qos;
  std::optional<std::vector<std::string>> qos;  // nullopt = inherited
  std::string description;
  std::string organization;
  // nullopt or empty = no limit.
  std::optional<int64_t> max_jobs_accrue;
  std::optional<int64_t> grp_jobs_accrue;
  std::optional<int64_t> max_submit_jobs;
  std::vector<NamedAmount> grp_tres_mins;  // TRES minutes
  std::optional<double> grp_wall_minutes;
  // Limits that priorityd does not implement, as text, in order.
  std::vector<KeyValue> other_limits;
  std::optional<absl::Time> deleted_at;
  bool operator==(const Association&) const = default;
};

// An option of other_limits with the associations that have it.
struct OtherLimit {
  std::string name;
  int64_t count = 0;  // Of associations.
  // Of the first one.
  std::string value;
  std::string account;
  std::string user_name;
};

// The columns of the table.
const ColumnTable<Association>& AssociationColumns();

// Every list is in the order of ids: the order of insertion, which is Slurm's order of siblings.
class AssociationStore {
 public:
  explicit AssociationStore(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<std::vector<Association>> List(int32_t cluster_id,
                                                Edition edition = Edition::kCurrent);
  absl::StatusOr<std::vector<Association>> ListDeleted(int32_t cluster_id);
  // Associations, deleted or not, written since a watermark, and possibly others; see WrittenSince.
  absl::StatusOr<std::vector<Association>> ListWrittenSince(int32_t cluster_id, int64_t watermark);
  // The number of associations that are not deleted.
  absl::StatusOr<int64_t> Count(int32_t cluster_id);

  // Each option of other_limits once, by name.
  absl::StatusOr<std::vector<OtherLimit>> ListOtherLimits(int32_t cluster_id);

  // `count` new ids, ascending and above all earlier ones, so that a whole tree of rows that refer
  // to each other can be inserted at once.
  absl::StatusOr<std::vector<int64_t>> ReserveIds(int64_t count);

  // Inserts rows with reserved ids. A row with the id of a deleted association restores it with the
  // new values and its old usage. Parents may be among the rows. ALREADY_EXISTS if the name or id
  // exists and is not deleted, FAILED_PRECONDITION for an unknown parent or one of another cluster,
  // INVALID_ARGUMENT for a second root. Ignores deleted_at.
  absl::Status Insert(absl::Span<const Association> associations);

  // Writes all fields except id, cluster_id and deleted_at. NOT_FOUND if one does not exist or is
  // deleted.
  absl::Status Update(absl::Span<const Association> associations);

  // Marks them as deleted at `at`; keeps their usage rows. NOT_FOUND as in Update.
  absl::Status Delete(int32_t cluster_id, absl::Span<const int64_t> ids, absl::Time at);

 private:
  absl::Status Write(const std::string& statement, absl::Span<const Association> associations);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_ASSOCIATION_STORE_H_
