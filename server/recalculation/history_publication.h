// The history of fair-share and usage.
#ifndef PRIORITYD_SERVER_RECALCULATION_HISTORY_PUBLICATION_H_
#define PRIORITYD_SERVER_RECALCULATION_HISTORY_PUBLICATION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "storage/database/transaction.h"

namespace priorityd::recalculation {

// Recording of fair-share and usage for plots: every `interval` of computed_at, kept for
// `retention`. InfiniteDuration() as interval = none.
struct HistoryOptions {
  absl::Duration interval = absl::Hours(1);
  absl::Duration retention = absl::Hours(24 * 30);
};

// Adds the snapshot to the history of the cluster when that is due, and deletes what is too old.
// The errors of the database.
absl::Status KeepHistory(storage::Transaction& transaction, int32_t cluster_id,
                         const priority::Snapshot& snapshot, const HistoryOptions& options);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_HISTORY_PUBLICATION_H_
