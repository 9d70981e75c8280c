// Policy versions and the half-life timeline.
#ifndef STORAGE_CONFIGURATION_POLICY_STORE_H_
#define STORAGE_CONFIGURATION_POLICY_STORE_H_

#include <cstdint>
#include <optional>
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

struct PolicyFile {
  std::string name;
  std::string content;
  bool operator==(const PolicyFile&) const = default;
};

struct PolicyVersion {
  int32_t cluster_id = 0;
  int64_t version = 0;            // 1, 2, ... in each cluster
  std::vector<PolicyFile> files;  // as given; the main one first, then Includes
  absl::Time applied_at;
  std::string applied_by;
  std::string comment;
  // The time from which an interval PriorityUsageResetPeriod counts. InfinitePast = from the first
  // recalculation, which sets a manual clock.
  absl::Time reset_anchor;
  // Usage before it counts nothing (PriorityUsageResetPeriod=NOW); carried
  // along by later versions. InfinitePast = never.
  absl::Time reset_floor = absl::InfinitePast();
  bool operator==(const PolicyVersion&) const = default;
};

// The columns of the table.
const ColumnTable<PolicyVersion>& PolicyVersionColumns();

// The half-life in force from `effective_at` until the next entry.
struct HalfLife {
  absl::Time effective_at = absl::InfinitePast();
  std::optional<absl::Duration> half_life;  // whole seconds, above 0; nullopt = no decay
  bool operator==(const HalfLife&) const = default;
};

// The columns of the table.
const ColumnTable<HalfLife>& HalfLifeColumns();

class PolicyStore {
 public:
  explicit PolicyStore(Transaction& transaction) : transaction_(transaction) {}

  // nullopt before the first.
  absl::StatusOr<std::optional<PolicyVersion>> Newest(int32_t cluster_id);
  absl::StatusOr<std::optional<PolicyVersion>> Find(int32_t cluster_id, int64_t version);

  // Newest first; at most `limit` with a version below `before` (0 = all).
  absl::StatusOr<std::vector<PolicyVersion>> List(int32_t cluster_id, int64_t before,
                                                  int64_t limit);

  // The same without their files.
  absl::StatusOr<std::vector<PolicyVersion>> ListHeads(int32_t cluster_id, int64_t before,
                                                       int64_t limit);

  // Returns the number it got: the newest one's plus 1. policy.version is
  // ignored. Call ClusterStore::Lock first, or two at once may collide
  // (ALREADY_EXISTS).
  absl::StatusOr<int64_t> Append(const PolicyVersion& policy);

  // Of all versions with the reset_anchor InfinitePast.
  absl::Status SetUnsetAnchors(int32_t cluster_id, absl::Time anchor);

  // By time, earliest first. Empty before the first policy.
  absl::StatusOr<std::vector<HalfLife>> HalfLives(int32_t cluster_id,
                                                  Edition edition = Edition::kCurrent);

  // Adds an entry, or changes the one at the same time.
  absl::Status SetHalfLife(int32_t cluster_id, const HalfLife& half_life);

  // Makes `timeline` the whole timeline.
  absl::Status ReplaceHalfLives(int32_t cluster_id, absl::Span<const HalfLife> timeline);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_POLICY_STORE_H_
