// The report of each recalculation, and its observers.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_REPORT_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_REPORT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::recalculation {

// The duration of each stage, 0 if not reached, and the extent of the changes.
struct RecalculationStages {
  absl::Duration read;     // Reading the changes from the database.
  absl::Duration compute;  // Decay, roll-up, fair-share.
  absl::Duration publish;  // Writing to the database.
  bool configuration_changed = false;
  int64_t published_entries = 0;  // Usage entries: the changed ones, or occasionally all.
  // Clusters to recalculate next: the members of a usage domain, and a domain whose members have
  // more records than one recalculation settles.
  std::vector<std::string> hastened;
  // The next begin or end of a lease of the cluster.
  absl::Time next_lease = absl::InfiniteFuture();
};

struct RecalculationReport {
  std::string cluster;
  absl::Status status;
  bool on_demand = false;  // On demand; otherwise periodic.
  absl::Duration lag;      // From the due time to the start; 0 on demand.
  absl::Duration duration;
  RecalculationStages stages;                          // Of the last attempt.
  std::shared_ptr<const priority::Snapshot> snapshot;  // Null if it failed.
};

// Notified of every recalculation of this replica, including failed ones.
class RecalculationObserver {
 public:
  virtual ~RecalculationObserver() = default;
  // Called on the thread that recalculated, after the snapshot was published. Must not wait.
  // Thread-safe.
  virtual void Recalculated(const RecalculationReport& report) = 0;
};

using RecalculationObservers = std::vector<RecalculationObserver*>;

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_REPORT_H_
