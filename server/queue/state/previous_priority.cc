#include "server/queue/state/previous_priority.h"

#include <algorithm>
#include <string>

#include "server/queue/state/chunk_scorer.h"
#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

constexpr uint8_t kKeepsPrevious =
    priority::JobTable::kRunning | priority::JobTable::kHeld | priority::JobTable::kAdminPriority;

}  // namespace

std::vector<JobChange> RaisePreviousPriorities(const QueueState& state, absl::Time as_of) {
  std::vector<JobChange> changes;
  if (!state.snapshot().policy().incr_only) return changes;
  ChunkScorer scorer(state, as_of);
  for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) {
    scorer.Look(chunk, nullptr);
    scorer.Score();
    const priority::JobTable& table = scorer.table();
    for (uint32_t i = 0; i < table.jobs(); ++i) {
      const uint32_t begin = table.first_row[i];
      const uint32_t end = table.first_row[i + 1];
      if (begin == end || (table.flags[begin] & kKeepsPrevious) != 0) continue;
      uint32_t lowest = scorer.priority(begin);
      for (uint32_t row = begin; row < end; ++row) lowest = std::min(lowest, scorer.priority(row));
      TrackedJob job = state.chunks()[chunk]->job(i);
      if (lowest <= job.job.previous_priority.value_or(0)) continue;
      job.job.previous_priority = lowest;
      changes.push_back({std::string(job.job.job_id), PackJob(job)});
    }
  }
  return changes;
}

}  // namespace priorityd::queue
