// Associations: (cluster, account, [user], [partition]).
#ifndef STORAGE_ASSOCIATION_STORE_H_
#define STORAGE_ASSOCIATION_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/amount.h"
#include "storage/published.h"
#include "storage/transaction.h"

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
  // Limits that priorityd does not act on, word for word, in order.
  std::vector<KeyValue> other_limits;
  std::optional<absl::Time> deleted_at;
  bool operator==(const Association&) const = default;
};

// How it is stored.
const ColumnTable<Association>& AssociationColumns();

// Every list is in the order of ids, which is the order of insertion and
// thereby Slurm's order of siblings.
class AssociationStore {
 public:
  explicit AssociationStore(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<std::vector<Association>> List(int32_t cluster_id,
                                                Edition edition = Edition::kCurrent);
  absl::StatusOr<std::vector<Association>> ListDeleted(int32_t cluster_id);
  // Living and deleted ones: all that were written since a watermark, and maybe others; see
  // WrittenSince.
  absl::StatusOr<std::vector<Association>> ListWrittenSince(int32_t cluster_id, int64_t watermark);
  // How many living ones there are.
  absl::StatusOr<int64_t> Count(int32_t cluster_id);

  // `count` new ids, ascending and above every earlier one. With them a whole
  // tree, whose rows name each other, is inserted at once.
  absl::StatusOr<std::vector<int64_t>> ReserveIds(int64_t count);

  // Inserts rows whose id is reserved, or that of a deleted association, which lives again as the
  // row says, with the usage that it has; a parent may be among them.
  // ALREADY_EXISTS if a live one of that name or id is there, FAILED_PRECONDITION
  // for an unknown parent or one of another cluster, INVALID_ARGUMENT for a
  // second root. deleted_at is ignored.
  absl::Status Insert(absl::Span<const Association> associations);

  // Writes every field but id, cluster_id and deleted_at. NOT_FOUND if one is
  // not there or deleted.
  absl::Status Update(absl::Span<const Association> associations);

  // Marks as deleted at `at`; their usage rows stay. NOT_FOUND as in Update.
  absl::Status Delete(int32_t cluster_id, absl::Span<const int64_t> ids, absl::Time at);

 private:
  absl::Status Write(const std::string& statement, absl::Span<const Association> associations);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_ASSOCIATION_STORE_H_
