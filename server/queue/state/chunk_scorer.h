// Chunks of the tracked queue, scored for one moment.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SCORER_H_
#define PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SCORER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/ranking/row_filter.h"
#include "engine/priority/ranking/scoring.h"
#include "engine/priority/ranking/start_order.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::queue {

// The position of a job.
struct JobPlace {
  uint32_t chunk;
  uint32_t job;
};

// Selects and scores chunks one after another, reusing its memory. `state` must outlive it.
// Thread-compatible.
class ChunkScorer {
 public:
  ChunkScorer(const QueueState& state, absl::Time as_of);

  // Whether no limit keeps jobs of the chunk back, so that apart from begin times the chunk's table
  // alone decides.
  bool NoneLimited(uint32_t chunk) const {
    return limited_marks_ == nullptr || limited_marks_->limited[chunk].empty();
  }

  // Selects some jobs of a chunk. `filter` selects the wanted rows; null = all.
  void Look(uint32_t chunk, priority::JobRange jobs, priority::RowFilter* filter);
  // Selects all jobs of a chunk.
  void Look(uint32_t chunk, priority::RowFilter* filter);
  // Scores the selected jobs.
  void Score();

  // --- Of the jobs selected last ---------------------------------------------------

  const priority::JobTable& table() const { return *table_; }
  priority::JobRange jobs() const { return jobs_; }
  bool Wanted(size_t row) const { return wanted_.empty() || wanted_[row] != 0; }
  // Whether the pair of a pending job could start now, regardless of the filter.
  bool Startable(size_t row) const {
    return (limited_.empty() || limited_[row] == 0) && !table_->Running(row) &&
           table_->ReasonAt(row, as_of_us_) == priority::Reason::kNone;
  }

  // --- Of the jobs scored last --------------------------------------------------------

  // Their order; valid until the next selection.
  priority::StartOrder Order() const;
  uint32_t priority(size_t row) const { return priorities_[row]; }
  priority::RowTerms Terms(size_t row) const {
    return priority::TermsOf(*table_, state_.scale().factors, as_of_, row, flags_);
  }

  // Whether a job is over an accrue limit.
  bool AccrueLimited(JobPlace place) const {
    const std::vector<uint8_t>& limited = marks_->limited[place.chunk];
    return !limited.empty() && limited[place.job] != 0;
  }

 private:
  // The rows of jobs_.
  size_t begin_row() const { return table_->first_row[jobs_.begin]; }
  size_t end_row() const { return table_->first_row[jobs_.end]; }
  void FindWanted(priority::RowFilter& filter);
  // Removes rows kept back by a limit from open_.
  void CloseLimited();

  const QueueState& state_;
  const absl::Time as_of_;
  const int64_t as_of_us_;
  const priority::LimitCheck limits_;
  const std::shared_ptr<const LimitMarks> limited_marks_;
  const std::shared_ptr<const AccrueMarks> marks_;
  const priority::JobTable* table_ = nullptr;
  priority::JobRange jobs_;
  absl::Span<const uint8_t> flags_;    // By row; see priorityd::priority::Score.
  absl::Span<const uint8_t> limited_;  // By row: 1 = kept back by a limit; empty = none.
  // By row, set for those of jobs_.
  std::vector<uint32_t> priorities_;
  std::vector<uint8_t> wanted_;  // 1 = by the filter; empty = all.
  std::vector<uint8_t> open_;    // 1 = wanted and not limited; empty = all.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SCORER_H_
