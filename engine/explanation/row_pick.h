// Selects the row of a queue that a request names.
#ifndef PRIORITYD_ENGINE_EXPLANATION_ROW_PICK_H_
#define PRIORITYD_ENGINE_EXPLANATION_ROW_PICK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/start_order.h"

namespace priorityd::explanation {

// The row of a job without any pair.
inline constexpr int kNoRow = -1;

struct RowPick {
  absl::string_view job_id;     // May be empty if there is only one job.
  absl::string_view partition;  // Selects a pair; empty = that of the best row.
  absl::string_view qos;
};

struct PickedRow {
  uint32_t job = 0;
  int row = kNoRow;
};

// The best row of the job in the requested partition and QOS: the one that starts first; if none
// can start, the one whose reason comes last. `field`: the name of job_id in errors. NOT_FOUND: no
// such job, or not in that partition or QOS. INVALID_ARGUMENT: no job_id with several jobs.
absl::StatusOr<PickedRow> PickRow(const priority::ScoredQueue& queue,
                                  const priority::StartOrder& order, const RowPick& pick,
                                  absl::string_view field);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_ROW_PICK_H_
