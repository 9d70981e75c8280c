#include "server/queue/state/previous_priority.h"

#include <algorithm>
#include <string>

#include "engine/priority/jobs/job_resolution.h"
#include "server/queue/state/chunk_scorer.h"
#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

constexpr uint8_t kKeepsPrevious =
    priority::JobTable::kRunning | priority::JobTable::kHeld | priority::JobTable::kAdminPriority;

// The rows of one job in the chunk that a scorer has scored.
class PairsOfJob {
 public:
  PairsOfJob(const priority::Snapshot& snapshot, const ChunkScorer& scorer, uint32_t job)
      : snapshot_(snapshot),
        scorer_(scorer),
        table_(scorer.table()),
        begin_(table_.first_row[job]),
        end_(table_.first_row[job + 1]) {}

  bool AnyRose() const {
    if (begin_ == end_ || (table_.flags[begin_] & kKeepsPrevious) != 0) return false;
    for (uint32_t row = begin_; row < end_; ++row) {
      if (scorer_.priority(row) > table_.previous_priority[row]) return true;
    }
    return false;
  }

  void Raise(priority::Job* job) const {
    uint32_t lowest = scorer_.priority(begin_);
    for (uint32_t row = begin_; row < end_; ++row) lowest = std::min(lowest, scorer_.priority(row));
    job->previous_priority = lowest;
    job->pair_priorities.clear();
    for (uint32_t row = begin_; row < end_; ++row) {
      if (scorer_.priority(row) == lowest) continue;
      const auto names = priority::NamesOf(snapshot_, table_.partition[row], table_.qos[row]);
      job->pair_priorities.push_back({names.partition, names.qos, scorer_.priority(row)});
    }
  }

 private:
  const priority::Snapshot& snapshot_;
  const ChunkScorer& scorer_;
  const priority::JobTable& table_;
  const uint32_t begin_;
  const uint32_t end_;
};

}  // namespace

std::vector<JobChange> RaisePreviousPriorities(const QueueState& state, absl::Time as_of) {
  std::vector<JobChange> changes;
  if (!state.snapshot().policy().incr_only) return changes;
  ChunkScorer scorer(state, as_of);
  for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) {
    scorer.Look(chunk, nullptr);
    scorer.Score();
    for (uint32_t i = 0; i < scorer.table().jobs(); ++i) {
      const PairsOfJob pairs(state.snapshot(), scorer, i);
      if (!pairs.AnyRose()) continue;
      TrackedJob job = state.chunks()[chunk]->job(i);
      // The points of a lease are not kept beyond its end.
      if (state.snapshot().FindLeasedNice(job.job.job_id) != nullptr) continue;
      pairs.Raise(&job.job);
      changes.push_back({std::string(job.job.job_id), PackJob(job)});
    }
  }
  return changes;
}

}  // namespace priorityd::queue
