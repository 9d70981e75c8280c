// What is told of each recalculation, and who is told.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_REPORT_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_REPORT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/priority/snapshot.h"

namespace priorityd::recalculation {

// How long each stage took, 0 where it did not come to that, and what was new.
struct RecalculationStages {
  absl::Duration read;     // From the database, what changed.
  absl::Duration compute;  // Decay, roll-up, fair-share.
  absl::Duration publish;  // To the database.
  bool configuration_changed = false;
  int64_t published_entries = 0;  // Of usage: those that changed, or all of them now and then.
};

struct RecalculationReport {
  std::string cluster;
  absl::Status status;
  bool on_demand = false;  // Somebody asked for it; otherwise it was due.
  absl::Duration lag;      // From when it was due until it began; 0 on demand.
  absl::Duration duration;
  RecalculationStages stages;                          // Of the last try.
  std::shared_ptr<const priority::Snapshot> snapshot;  // Null if it failed.
};

// Told of every recalculation of this replica, failed ones too.
class RecalculationObserver {
 public:
  virtual ~RecalculationObserver() = default;
  // On the thread that recalculated, the snapshot published. Must not wait. Thread-safe.
  virtual void Recalculated(const RecalculationReport& report) = 0;
};

using RecalculationObservers = std::vector<RecalculationObserver*>;

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_REPORT_H_
