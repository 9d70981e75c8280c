// The tracked queue at one moment.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_STATE_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_STATE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/limits/limit_counts.h"
#include "engine/priority/ranking/limit_check.h"
#include "server/queue/state/ended_jobs.h"
#include "server/queue/state/job_chunk.h"

namespace priorityd::queue {

// Jobs over an accrue limit. Both lists are by chunk, empty for a chunk without such jobs.
struct AccrueMarks {
  std::vector<std::vector<uint8_t>> limited;  // By job: 1 = over a limit.
  std::vector<std::vector<uint8_t>> flags;    // By row: the table's flags and kNoAccrual.
  int64_t from_us = 0;                        // See AccrueLimited.
  int64_t until_us = 0;
};

// Pairs that a limit keeps back.
struct LimitMarks {
  std::vector<std::vector<uint8_t>> limited;  // By chunk, then row: 1 = kept back; empty = none is.
  // The marks are valid for kept usage above `fits` up to and including `kept`.
  priority::LimitCheck::Kept kept;
  priority::LimitCheck::Kept fits;

  bool HoldFor(const priority::LimitCheck::Kept& at) const {
    return at.usage <= kept.usage && at.no_decay <= kept.no_decay && at.usage > fits.usage &&
           at.no_decay > fits.no_decay;
  }
};

// `chunks` with columns for the snapshot of `scale`.
std::vector<std::shared_ptr<const JobChunk>> Rescale(
    const std::vector<std::shared_ptr<const JobChunk>>& chunks, const QueueScale& scale);

// Immutable for readers, which may keep it as long as they want. Thread-safe.
class QueueState {
 public:
  QueueState(std::shared_ptr<const QueueScale> scale,
             std::vector<std::shared_ptr<const JobChunk>> chunks, EndedJobs ended = {});
  // `counts`: of the jobs in `chunks`.
  QueueState(std::shared_ptr<const QueueScale> scale,
             std::vector<std::shared_ptr<const JobChunk>> chunks, EndedJobs ended,
             priority::LimitCounts counts);

  // The same jobs for another snapshot.
  std::shared_ptr<const QueueState> For(std::shared_ptr<const priority::Snapshot> snapshot) const;

  const priority::Snapshot& snapshot() const { return *scale_->snapshot; }
  const QueueScale& scale() const { return *scale_; }
  const std::vector<std::shared_ptr<const JobChunk>>& chunks() const { return chunks_; }
  // The chunks' summaries, contiguous.
  absl::Span<const ChunkSummary> summaries() const { return summaries_; }
  // Jobs that have not ended.
  size_t jobs() const { return jobs_; }
  size_t rows() const { return rows_; }
  // The ended jobs that are kept; in no other figure of the state.
  const EndedJobs& ended() const { return ended_; }
  // The jobs' use of the limits.
  const priority::LimitCounts& counts() const { return counts_; }

  // Cached until called for a moment with other marks.
  std::shared_ptr<const AccrueMarks> AccrueMarksAt(absl::Time as_of) const;
  // Cached in the same way; `check` belongs to this state. Null without limits.
  std::shared_ptr<const LimitMarks> LimitMarksBy(const priority::LimitCheck& check) const;

 private:
  std::shared_ptr<const AccrueMarks> MakeMarks(absl::Time as_of) const;

  const std::shared_ptr<const QueueScale> scale_;
  const std::vector<std::shared_ptr<const JobChunk>> chunks_;
  const EndedJobs ended_;
  std::vector<ChunkSummary> summaries_;
  size_t jobs_ = 0;
  size_t rows_ = 0;
  const priority::LimitCounts counts_;

  mutable absl::Mutex mutex_;
  mutable std::shared_ptr<const LimitMarks> limit_marks_ ABSL_GUARDED_BY(mutex_);
  mutable std::shared_ptr<const AccrueMarks> marks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_STATE_H_
