// Users that count as others.
#ifndef STORAGE_CONFIGURATION_USER_MERGE_STORE_H_
#define STORAGE_CONFIGURATION_USER_MERGE_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/published.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// The usage and the jobs of from_user count as those of into_user.
struct UserMerge {
  std::string from_user;
  std::string into_user;
  absl::Time merged_at;
  std::string merged_by;
  std::string comment;
  // In a usage domain: holds in its members too. In a member: is that of its domain.
  bool of_domain = false;
  bool operator==(const UserMerge&) const = default;
};

// The columns of the table.
const ColumnTable<UserMerge>& UserMergeColumns();

// An association of a merged user that does not fit to its merge.
struct MergeFault {
  std::string from_user;
  std::string into_user;
  std::string account;
  bool is_deleted = false;  // False: into_user has no association that takes its usage.
  bool operator==(const MergeFault&) const = default;
};

// A change of the rows also makes a new revision of the configuration, and the usage of grants of
// both users is settled again.
class UserMergeStore {
 public:
  explicit UserMergeStore(Transaction& transaction) : transaction_(transaction) {}

  // In bytewise order of from_user.
  absl::StatusOr<std::vector<UserMerge>> List(int32_t cluster_id,
                                              Edition edition = Edition::kCurrent);

  // REQUIRES: none of their from_user is merged.
  absl::Status Insert(int32_t cluster_id, absl::Span<const UserMerge> merges);
  absl::Status SetOfDomain(int32_t cluster_id, const std::string& from_user, bool of_domain);
  absl::Status Delete(int32_t cluster_id, const std::string& from_user);
  // Deletes the merges that are of a domain.
  absl::Status DeleteOfDomain(int32_t cluster_id);

  // The first faults by from_user and account: associations of merged users that were deleted at
  // `deleted_at`, and existing ones without one of into_user in the same account and partition or
  // without partition.
  absl::StatusOr<std::vector<MergeFault>> FindFaults(int32_t cluster_id, absl::Time deleted_at);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_USER_MERGE_STORE_H_
