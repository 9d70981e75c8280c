// The ranked jobs for a plan.
#ifndef PRIORITYD_ENGINE_SCHEDULING_PLANNED_QUEUE_H_
#define PRIORITYD_ENGINE_SCHEDULING_PLANNED_QUEUE_H_

#include <cstddef>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::scheduling {

// Rows of the start order that are ranked for each job of a plan.
inline constexpr size_t kRowsOfPlannedJob = 4;

// All of it must outlive the plan.
struct PlannedQueue {
  const priority::Snapshot& snapshot;
  absl::Span<const priority::Job> jobs;
  const priority::Ranking& ranking;  // With every row of a job.
  absl::Time as_of;
  // The number of startable jobs behind those in `ranking`.
  size_t left_out = 0;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_PLANNED_QUEUE_H_
