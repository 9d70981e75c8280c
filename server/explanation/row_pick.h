// Which row of a queue a question is about.
#ifndef PRIORITYD_SERVER_EXPLANATION_ROW_PICK_H_
#define PRIORITYD_SERVER_EXPLANATION_ROW_PICK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/priority/scored_queue.h"
#include "server/priority/start_order.h"

namespace priorityd::explanation {

// The row of a job without any pair.
inline constexpr int kNoRow = -1;

struct RowPick {
  absl::string_view job_id;     // May be empty when there is one job.
  absl::string_view partition;  // Picks a pair; empty = that of the best row.
  absl::string_view qos;
};

struct PickedRow {
  uint32_t job = 0;
  int row = kNoRow;
};

// The best of the job's rows that are of the partition and the QOS asked for: the
// one that starts first; of those that cannot start the one that comes furthest
// in the order of the reasons. `field` names job_id in errors.
// NOT_FOUND: no such job, or not in that partition or QOS. INVALID_ARGUMENT: no
// job_id while there are several jobs.
absl::StatusOr<PickedRow> PickRow(const priority::ScoredQueue& queue,
                                  const priority::StartOrder& order, const RowPick& pick,
                                  absl::string_view field);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_ROW_PICK_H_
