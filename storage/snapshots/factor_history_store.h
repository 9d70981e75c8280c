// Fair-share and usage over time.
#ifndef STORAGE_SNAPSHOTS_FACTOR_HISTORY_STORE_H_
#define STORAGE_SNAPSHOTS_FACTOR_HISTORY_STORE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// An association as of one recalculation.
struct FactorSample {
  int64_t association_id = 0;
  absl::Time sampled_at;
  double raw_usage = 0;
  double fair_share = 0;
  bool operator==(const FactorSample&) const = default;
};

// Selects the samples of these associations in [start, end).
struct FactorHistoryQuery {
  int32_t cluster_id = 0;
  std::vector<int64_t> association_ids;
  absl::Time start = absl::InfinitePast();
  absl::Time end = absl::InfiniteFuture();
  // Only those after this (time, association); unset = from the first one on.
  std::optional<std::pair<absl::Time, int64_t>> after;
  int64_t limit = 0;
};

class FactorHistoryStore {
 public:
  explicit FactorHistoryStore(Transaction& transaction) : transaction_(transaction) {}

  // The time of the cluster's last sample; InfinitePast() = never.
  absl::StatusOr<absl::Time> LastSample(int32_t cluster_id);

  // Adds the samples of a snapshot of this generation and time, unless there are samples of that
  // time.
  absl::Status Sample(int32_t cluster_id, int64_t generation, absl::Time computed_at,
                      absl::Span<const FactorSample> samples);

  // Deletes samples from before `horizon`.
  absl::Status DeleteBefore(int32_t cluster_id, absl::Time horizon);

  // By time, then association_id.
  absl::StatusOr<std::vector<FactorSample>> List(const FactorHistoryQuery& query);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_FACTOR_HISTORY_STORE_H_
